from .formats import schemas as schemas
