"""The laws of what users see, a module a navigation, named like its class."""
