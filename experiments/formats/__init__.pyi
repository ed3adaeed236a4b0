from .known import schemas as schemas
