"""What is left of the use of data that were made safe."""
