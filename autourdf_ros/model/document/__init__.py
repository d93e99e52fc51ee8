"""reconstruction.json: its layers in and out, its versions, and the model that it states."""
