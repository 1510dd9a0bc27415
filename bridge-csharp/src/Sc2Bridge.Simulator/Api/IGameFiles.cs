namespace Sc2Bridge.Simulator.Api;

/// <summary>The files that the API names.</summary>
internal interface IGameFiles
{
    /// <summary>A replay's bytes; null where there is no such file.</summary>
    /// <param name="path">Below the game's Replays folder, or absolute.</param>
    byte[]? ReadReplay(string path);

    /// <summary>Puts a map into the game's temporary folder; false where the path is none below it.</summary>
    bool WriteMap(string path, ReadOnlySpan<byte> data);
}
