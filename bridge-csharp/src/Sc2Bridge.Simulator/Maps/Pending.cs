// Stands in until the maps are written: delete this file then.
#pragma warning disable CA1822
namespace Sc2Bridge.Simulator.Maps;

internal sealed record Resource(int Type, int X, int Y, int Contents);

internal sealed record MapBase(int X, int Y, Resource[] Resources);

internal sealed class GameMap
{
    public required string Name { get; init; }

    public int Width => 64;

    public int Height => 64;

    public bool[] Pathable { get; } = new bool[64 * 64];

    public bool[] Placeable { get; } = new bool[64 * 64];

    public byte[] TerrainHeight { get; } = new byte[64 * 64];

    public MapBase[] Bases { get; } = [];

    public int[] Starts { get; } = [];

    public Resource[] Neutrals { get; } = [];

    public (int X0, int Y0, int X1, int Y1) Playable => (0, 0, 64, 64);

    public static GameMap? Find(string name) => null;
}
