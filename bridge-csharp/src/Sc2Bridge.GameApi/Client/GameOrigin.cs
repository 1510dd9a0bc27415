namespace Sc2Bridge.GameApi;

/// <summary>Where a match gets its game from: a program to start, or the address of a game that runs already.</summary>
public abstract record GameOrigin;
