"""The model against colour images: which link is elsewhere than the readings say."""
