namespace Sc2Bridge.Simulator.Api;

/// <summary>The files that the API names.</summary>
internal interface IGameFiles
{
    /// <summary>A replay's bytes; null where there is no such file.</summary>
    /// <param name="path">Below the game's folder of replays; any other is as one that is not there.</param>
    byte[]? ReadReplay(string path);
}
