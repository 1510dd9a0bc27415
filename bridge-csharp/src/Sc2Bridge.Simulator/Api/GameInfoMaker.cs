using Google.Protobuf;
using SC2APIProtocol;
using Sc2Bridge.Simulator.Facts;
using Sc2Bridge.Simulator.Maps;
using Sc2Bridge.Simulator.Observing;
using Sc2Bridge.Simulator.World;

namespace Sc2Bridge.Simulator.Api;

/// <summary>Creates ResponseGameInfo. Its pathing grid changes with buildings and resources.</summary>
/// <remarks>
/// Its placement grid never changes. In real first messages, a town hall's cells are placeable. s2client-api's <c>IsPlacable</c>
/// "does not include blockers like other structures", and python-sc2 reads only the pathing grid again in each step.
/// </remarks>
internal static class GameInfoMaker
{
    // The game lists these for a melee map.
    private static readonly string[] Mods =
        ["Mods/Core.SC2Mod", "Mods/Liberty.SC2Mod", "Mods/Swarm.SC2Mod", "Mods/Void.SC2Mod", "Mods/VoidMulti.SC2Mod"];

    /// <summary>The response to a client.</summary>
    public static ResponseGameInfo Make(Session session)
    {
        var world = session.Match.World;
        var info = new ResponseGameInfo
        {
            MapName = world.Map.Name,
            LocalMapPath = world.Map.FileName,
            Options = session.Options.Clone(),
        };
        info.ModNames.AddRange(Mods);
        info.PlayerInfo.AddRange(world.Seated.Select(player => About(player, session.Player, session.Observer)));
        if (session.Options.Raw)
        {
            info.StartRaw = Start(world, session.Viewer, session.Window);
        }

        return info;
    }

    /// <summary>The information about a player.</summary>
    /// <param name="player">The player.</param>
    /// <param name="self">The id of the player that asks; 0 for an observer.</param>
    /// <param name="all">Whether to include the actual race of other players.</param>
    public static PlayerInfo About(Player player, int self, bool all)
    {
        var about = About((uint)player.Id, player.Spec);
        if (all || player.Id == self)
        {
            about.RaceActual = player.Race;
        }

        return about;
    }

    /// <summary>The information in a player's setup.</summary>
    public static PlayerInfo About(uint id, PlayerSpec spec)
    {
        var about = new PlayerInfo { PlayerId = id, Type = spec.Type, RaceRequested = spec.Race };
        if (spec.Type == PlayerType.Computer)
        {
            about.Difficulty = spec.Difficulty;
            if (spec.Build != AIBuild.RandomBuild)
            {
                about.AiBuild = spec.Build;
            }
        }

        if (spec.Name.Length > 0)
        {
            about.PlayerName = spec.Name;
        }

        return about;
    }

    private static StartRaw Start(GameWorld world, int viewer, MapWindow window)
    {
        var map = world.Map;
        var start = new StartRaw
        {
            MapSize = new Size2DI { X = window.Width, Y = window.Height },
            PathingGrid = Image(window, 1, window.CutBits(Bits(Pathing(world, viewer)))),
            TerrainHeight = Image(window, 8, window.Cut(map.TerrainHeight)),
            PlacementGrid = Image(window, 1, window.CutBits(Bits(map.Placeable))),
            PlayableArea = new RectangleI
            {
                P0 = new PointI { X = map.Playable.X0 - window.X0, Y = map.Playable.Y0 - window.Y0 },
                P1 = new PointI { X = map.Playable.X1 - window.X0, Y = map.Playable.Y1 - window.Y0 },
            },
        };

        // Without the viewer's own start. Every start that could belong to an enemy is listed.
        var own = viewer == 0 ? -1 : world.PlayerOf(viewer).StartBase;
        start.StartLocations.AddRange(map.Starts.Where(s => s != own).Select(s => new Point2D
        {
            X = window.X(map.Bases[s].X),
            Y = window.Y(map.Bases[s].Y),
        }));
        return start;
    }

    // As in real messages: the bare ground, minus buildings and resources that the player sees or remembers.
    private static bool[] Pathing(GameWorld world, int viewer)
    {
        bool[] grid = [.. world.Map.Pathable];
        foreach (var unit in world.Units.Where(u => u.Alive && (viewer == 0 || ((u.SeenBy >> viewer) & 1) != 0)))
        {
            Mark(unit.Type, unit.X, unit.Y);
        }

        foreach (var known in world.Vision.SnapshotsOf(viewer).Where(s => s.Seen))
        {
            Mark(known.Type, known.X, known.Y);
        }

        return grid;

        void Mark(UnitType type, int x, int y)
        {
            if (!type.Is(Kind.WalkedOver))
            {
                Ground.ShapeOf(type)?.Mark(world.Map, x, y, grid, false);
            }
        }
    }

    private static byte[] Bits(bool[] cells)
    {
        var bits = new byte[(cells.Length + 7) / 8];
        for (var i = 0; i < cells.Length; i++)
        {
            bits[i >> 3] |= (byte)(cells[i] ? 0x80 >> (i & 7) : 0);
        }

        return bits;
    }

    private static ImageData Image(MapWindow window, int bitsPerPixel, byte[] data) => new()
    {
        BitsPerPixel = bitsPerPixel,
        Size = new Size2DI { X = window.Width, Y = window.Height },
        Data = ByteString.CopyFrom(data),
    };
}
