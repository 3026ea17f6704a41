"""Fair chance: seeds and keys, draws from them, and draws that were recorded or scripted."""
