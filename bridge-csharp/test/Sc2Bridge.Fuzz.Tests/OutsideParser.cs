using System.Text;
using Google.Protobuf;
using SC2APIProtocol;
using Sc2Bridge.Admission;
using Sc2Bridge.Encodings;
using Sc2Bridge.Encodings.Columns;
using Sc2Bridge.Games;
using Sc2Bridge.Protocol;
using Sc2Bridge.Recordings;
using Sc2Bridge.Streaming;
using Sc2Bridge.V1;

namespace Sc2Bridge.Fuzz.Tests;

/// <summary>A parser of bytes from outside: it takes any bytes, or refuses them with its documented error.</summary>
/// <param name="Name">As <c>tools/fuzz</c> takes it, and its folder of kept inputs.</param>
/// <param name="Seeds">Inputs that it takes, to begin with.</param>
/// <param name="Run">Throws where it does anything else.</param>
internal sealed record OutsideParser(string Name, Func<IEnumerable<byte[]>> Seeds, System.Action<byte[]> Run)
{
    public static IReadOnlyList<OutsideParser> All { get; } =
    [
        new("response", () => [GameResponse().ToByteArray()], Response),
        new("observation", () => [GameResponse().Observation.ToByteArray()], Observation),
        new("agent-json", AgentTexts, AgentJson),
        new("recording", Recordings, Recording),
        new("replay", () => ["sc2bridge replay"u8.ToArray(), ReplayHeader()], ReplayStart),
        new("tokens", () => ["play,control 0123456789abcdef side=1 priority=2 expires=2030-12-31 # one\n"u8.ToArray()], Tokens),
    ];

    /// <summary>What a fuzzer has found that reaches code of its own.</summary>
    public IEnumerable<byte[]> Kept()
    {
        var folder = Path.Combine(
            PeerEnvironment.RepositoryRoot, "bridge-csharp", "test", "Sc2Bridge.Fuzz.Tests", "Corpus", Name);
        return Directory.Exists(folder) ? Directory.GetFiles(folder).Order().Select(File.ReadAllBytes) : [];
    }

    private static void Response(byte[] bytes)
    {
        try
        {
            _ = ResponseSlicer.Slice(bytes);
        }
        catch (MalformedMessageException)
        {
        }
    }

    private static void Observation(byte[] bytes)
    {
        var frame = ObservationFrame.Copy(bytes, new FrameHeader("match", 1, 0, 0, 0, 0));
        try
        {
            Refusable(() => ColumnsWriter.Write(bytes).Release());
            Refusable(() => frame.Encoded(JsonEncoding.Instance).Dispose());
            Refusable(() => ObservationEvents.Of(bytes));
            for (var parts = PartSet.None; parts <= (PartSet)127; parts++)
            {
                Refusable(() => frame.ObservationWithout(parts).Dispose());
            }
        }
        finally
        {
            frame.Release();
        }
    }

    private static void AgentJson(byte[] bytes)
    {
        AgentMessage read;
        try
        {
            read = JsonReader.ReadAgentMessage(bytes);
        }
        catch (EncodingException)
        {
            return;
        }

        // What was taken is a message: its text is taken as well, and the same.
        var text = MessageBuffer.Rent();
        JsonWriter.Write(read, text);
        Assert.Equal(read.ToByteArray(), JsonReader.ReadAgentMessage(text.Written.Span).ToByteArray());
        text.Release();
    }

    private static void Recording(byte[] bytes)
    {
        var path = Path.GetTempFileName();
        try
        {
            File.WriteAllBytes(path, bytes);
            try
            {
                using var reader = RecordingReader.Open(path);
                _ = (reader.ReadGameInfo(), reader.ReadData(), reader.ReadGaps(), reader.ReadEnd());
                _ = (reader.Steps().Count(), reader.Requests().Count(), reader.Actions().Count());
            }
            catch (RecordingException)
            {
            }

            try
            {
                _ = RecordingInspection.Inspect(path, CancellationToken.None);
            }
            catch (RecordingException)
            {
            }
        }
        finally
        {
            File.Delete(path);
        }
    }

    private static void ReplayStart(byte[] bytes)
    {
        try
        {
            _ = ReplayHead.Read(bytes, "the file");
        }
        catch (GameException)
        {
        }
    }

    private static void Tokens(byte[] bytes)
    {
        try
        {
            _ = TokenFile.Parse(Encoding.UTF8.GetString(bytes), "the file");
        }
        catch (CredentialException)
        {
        }
    }

    private static void Refusable(System.Action act)
    {
        try
        {
            act();
        }
        catch (Exception refused) when (refused is MalformedMessageException or EncodingException
            or InvalidProtocolBufferException)
        {
        }
    }

    private static IEnumerable<byte[]> Recordings() =>
        Directory.GetFiles(Path.Combine(PeerEnvironment.RepositoryRoot, "recordings"), "*.mcap").Order()
            .Select(File.ReadAllBytes).Where(bytes => bytes.Length < 30_000);

    private static IEnumerable<byte[]> AgentTexts()
    {
        yield return """{"subscribe":{"policy":"POLICY_LOCKSTEP","exclude":["PART_SCORE"],"queueBytes":"1048576"}}"""u8.ToArray();
        yield return """{"acknowledge":{"step":"3","times":[{"step":"3","decodeNs":"150000","clock":"CLOCK_SOURCE_SHARED"}]}}"""u8.ToArray();
        yield return """{"actions":{"step":"3","actions":[{"actionRaw":{"unitCommand":{"abilityId":1,"unitTags":["4294967297"],"targetWorldSpacePos":{"x":1.25,"y":-0}}}}]}}"""u8.ToArray();
        yield return """{"request":{"tag":1,"request":{"query":{"pathing":[{"startPos":{"x":1,"y":2},"endPos":{"x":3,"y":4}}]}}}}"""u8.ToArray();
    }

    private static Response GameResponse() => new()
    {
        Id = 300,
        Status = Status.Ended,
        Error = { "one" },
        Observation = new ResponseObservation
        {
            Observation = new Observation
            {
                GameLoop = 16_860,
                PlayerCommon = new PlayerCommon { PlayerId = 1, Minerals = 50 },
                Abilities = { new AvailableAbility { AbilityId = 7, RequiresPoint = true } },
                Alerts = { Alert.UnitUnderAttack },
                Score = new Score { Score_ = 5, ScoreDetails = new ScoreDetails { IdleWorkerTime = 0.5f } },
                RawData = new ObservationRaw
                {
                    Player = new PlayerRaw { Camera = new SC2APIProtocol.Point { X = 1 }, UpgradeIds = { 1, 300 } },
                    Units =
                    {
                        new Unit
                        {
                            Tag = ulong.MaxValue, Owner = -1, Pos = new SC2APIProtocol.Point { X = 1, Y = 2, Z = 3 }, BuffIds = { 5 },
                            Orders = { new UnitOrder { AbilityId = 1, TargetUnitTag = 4 } }, Health = 45,
                        },
                        new Unit { Tag = 1, RallyTargets = { new RallyTarget { Tag = 1 } } },
                    },
                    MapState = new MapState
                    {
                        Visibility = new ImageData
                        {
                            BitsPerPixel = 8,
                            Size = new Size2DI { X = 2, Y = 2 },
                            Data = ByteString.CopyFrom(0, 1, 2, 3),
                        },
                    },
                    Event = new SC2APIProtocol.Event { DeadUnits = { 1, 2 } },
                },
                UiData = new ObservationUI { Groups = { new ControlGroup { Count = 1 } } },
            },
            Actions = { new SC2APIProtocol.Action { ActionChat = new ActionChat { Message = "gl" } } },
            ActionErrors = { new ActionError { UnitTag = 1, Result = ActionResult.CantFindPlacementLocation } },
            PlayerResult = { new PlayerResult { PlayerId = 1, Result = SC2APIProtocol.Result.Tie } },
            Chat = { new ChatReceived { Message = "gg" } },
        },
    };

    // The user data before an archive: its length, the header's place, its length, then a structure of two fields.
    private static byte[] ReplayHeader() => Convert.FromHexString(
        "4D50511B" + "00020000" + "00040000" + "20000000"
        + "050A00022C537461724372616674204949" + "02050C000902" + "0209" + "0A0900060908");
}
