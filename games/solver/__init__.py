"""Search over whole deals, pure like the engine. It knows every card: no request on a live sealed deal may reach it."""
