"""Measures as users who stop: every closed form beside simulated users."""
