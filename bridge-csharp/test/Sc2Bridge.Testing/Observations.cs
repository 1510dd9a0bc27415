using Google.Protobuf;
using SC2APIProtocol;
using Sc2Bridge.Recordings;

namespace Sc2Bridge.Testing;

/// <summary>Observations for tests.</summary>
public static class Observations
{
    private static readonly Lazy<List<(string Name, byte[] Bytes)>> _atHand = new(ReadAtHand);

    /// <summary>A made-up observation that has every part.</summary>
    public static ResponseObservation Make(Random random)
    {
        var response = new ResponseObservation
        {
            Observation = new Observation
            {
                GameLoop = (uint)random.Next(1000),
                PlayerCommon = new PlayerCommon { PlayerId = 1, Minerals = 50 },
                Score = new Score { Score_ = random.Next() },
                RawData = new ObservationRaw
                {
                    Player = new PlayerRaw { Camera = new Point { X = 1, Y = 2, Z = 3 } },
                    MapState = new MapState { Creep = Image(random), Visibility = Image(random) },
                    Event = new SC2APIProtocol.Event(),
                },
                FeatureLayerData = new ObservationFeatureLayer { Renders = new() { HeightMap = Image(random) } },
                RenderData = new ObservationRender { Map = Image(random) },
                UiData = new ObservationUI { Single = new SinglePanel { Unit = new UnitInfo { UnitType = 4 } } },
            },
        };
        var observation = response.Observation;
        for (var i = random.Next(1, 5); i > 0; i--)
        {
            observation.Alerts.Add((Alert)random.Next(1, 20));
            observation.Abilities.Add(new AvailableAbility { AbilityId = random.Next(4000) });
            observation.RawData.Event.DeadUnits.Add((ulong)random.NextInt64());
            observation.RawData.Player.UpgradeIds.Add((uint)random.Next(20));
            response.Chat.Add(new ChatReceived { PlayerId = 1, Message = "gg" + i });
            response.Actions.Add(new SC2APIProtocol.Action { GameLoop = (uint)random.Next(100) });
            response.ActionErrors.Add(new ActionError { UnitTag = (ulong)random.Next() });
        }

        for (var i = random.Next(40); i > 0; i--)
        {
            observation.RawData.Units.Add(new Unit
            {
                Tag = (ulong)random.NextInt64(),
                UnitType = (uint)random.Next(2000),
                Pos = new Point { X = random.NextSingle(), Y = random.NextSingle(), Z = 1 },
                Health = random.Next(200),
            });
        }

        return response;
    }

    /// <summary>Complete observations: real ones if the shared folder has them, and always some of a recorded match.</summary>
    public static IReadOnlyList<(string Name, byte[] Bytes)> AtHand() => _atHand.Value;

    private static List<(string Name, byte[] Bytes)> ReadAtHand()
    {
        List<(string Name, byte[] Bytes)> found =
            [.. SharedFolder.RealFiles("observation.pb").Select(file => (file, File.ReadAllBytes(file)))];
        var path = Path.Combine(PeerEnvironment.RepositoryRoot, "recordings", "sample.mcap");
        using var recording = RecordingReader.Open(path);
        using var reader = recording.Observations();
        for (var i = 0; reader.Next(out var observation); i++)
        {
            if (i % 40 == 0)
            {
                found.Add(($"{path}, step {observation.Step}", observation.Bytes.ToArray()));
            }
        }

        return found;
    }

    private static ImageData Image(Random random)
    {
        var bytes = new byte[random.Next(300)];
        random.NextBytes(bytes);
        var size = new Size2DI { X = 4, Y = 4 };
        return new ImageData { BitsPerPixel = 8, Size = size, Data = ByteString.CopyFrom(bytes) };
    }
}
