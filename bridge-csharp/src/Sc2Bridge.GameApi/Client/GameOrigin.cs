namespace Sc2Bridge.GameApi;

/// <summary>The game of a match: a program to start, or the address of a game that runs already.</summary>
public abstract record GameOrigin;
