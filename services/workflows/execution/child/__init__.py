"""What runs workflow code. Its modules import little of the standard library and nothing heavy of this project."""
