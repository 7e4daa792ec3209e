"""What the labels of a page tell of its values, also where the page has changed."""
