using Google.Protobuf;
using SC2APIProtocol;
using Sc2Bridge.Simulator.World;

namespace Sc2Bridge.Simulator.Api;

/// <summary>Makes ResponseGameInfo of a world.</summary>
internal static class GameInfoMaker
{
    public static ResponseGameInfo Make(GameWorld world, int perspective, InterfaceOptions options)
    {
        var map = world.Map;
        var info = new ResponseGameInfo
        {
            MapName = map.Description.Name,
            LocalMapPath = map.Description.FileName,
            Options = options.Clone(),
            StartRaw = new StartRaw
            {
                MapSize = new Size2DI { X = map.Width, Y = map.Height },
                PathingGrid = Bits(map, map.Pathable),
                TerrainHeight = Image(map, 8, map.TerrainHeight),
                PlacementGrid = Bits(map, map.Placeable),
                PlayableArea = new RectangleI
                {
                    P0 = new PointI { X = MapDescription.Border, Y = MapDescription.Border },
                    P1 = new PointI { X = map.Width - MapDescription.Border, Y = map.Height - MapDescription.Border },
                },
            },
        };
        info.ModNames.Add("Mods/Simulated.SC2Mod");
        foreach (var player in world.Players)
        {
            // The game lists the starts of the others: an own start is seen, not told.
            if (player.Id != perspective)
            {
                var start = map.Bases[player.StartBase];
                info.StartRaw.StartLocations.Add(new Point2D
                {
                    X = start.X / (float)Geometry.Cell,
                    Y = start.Y / (float)Geometry.Cell,
                });
            }

            var about = new PlayerInfo
            {
                PlayerId = (uint)player.Id,
                Type = PlayerType.Computer,
                RaceRequested = player.RaceRequested,
                Difficulty = player.Difficulty,
            };
            if (perspective == 0)
            {
                about.RaceActual = player.Race;
            }

            if (player.Name.Length > 0)
            {
                about.PlayerName = player.Name;
            }

            info.PlayerInfo.Add(about);
        }

        return info;
    }

    private static ImageData Bits(GameMap map, bool[] cells)
    {
        var bits = new byte[(cells.Length + 7) / 8];
        for (var i = 0; i < cells.Length; i++)
        {
            bits[i >> 3] |= (byte)(cells[i] ? 0x80 >> (i & 7) : 0);
        }

        return Image(map, 1, bits);
    }

    private static ImageData Image(GameMap map, int bitsPerPixel, byte[] data) => new()
    {
        BitsPerPixel = bitsPerPixel,
        Size = new Size2DI { X = map.Width, Y = map.Height },
        Data = ByteString.CopyFrom(data),
    };
}
