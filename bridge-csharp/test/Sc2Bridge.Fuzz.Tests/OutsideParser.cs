using System.Security.Cryptography;
using System.Text;
using Google.Protobuf;
using Microsoft.AspNetCore.Http;
using SC2APIProtocol;
using Sc2Bridge.Admission;
using Sc2Bridge.Cli;
using Sc2Bridge.Encodings;
using Sc2Bridge.Encodings.Columns;
using Sc2Bridge.Encodings.Zstd;
using Sc2Bridge.Foxglove;
using Sc2Bridge.GameApi;
using Sc2Bridge.Games;
using Sc2Bridge.Protocol;
using Sc2Bridge.Recordings;
using Sc2Bridge.Simulator;
using Sc2Bridge.Simulator.Api;
using Sc2Bridge.Simulator.Commands;
using Sc2Bridge.Simulator.Multiplayer;
using Sc2Bridge.Encodings.Payloads;
using Sc2Bridge.Streaming;
using Sc2Bridge.Terminal;
using Sc2Bridge.V1;

namespace Sc2Bridge.Fuzz.Tests;

/// <summary>A parser of untrusted bytes. It accepts bytes, or refuses them with its documented error.</summary>
/// <param name="Name">The name for <c>tools/fuzz</c>, and of the folder with found inputs.</param>
/// <param name="Seeds">Valid inputs to start with.</param>
/// <param name="Run">Throws if the parser does anything else.</param>
internal sealed record OutsideParser(string Name, Func<IEnumerable<byte[]>> Seeds, System.Action<byte[]> Run)
{
    public static IReadOnlyList<OutsideParser> All { get; } =
    [
        new("response", () => [GameResponse().ToByteArray()], Response),
        new("observation", () => [GameResponse().Observation.ToByteArray()], Observation),
        new("agent-json", AgentTexts, AgentJson),
        new("agent", () => AgentTexts().Select(text => JsonReader.ReadPlayRequest(text).ToByteArray()), Agent),
        new("block", Blocks, Group),
        new("foxglove", FoxgloveTalk, Foxglove),
        new("recording", Recordings, Recording),
        new("replay", () => [SavedReplay(), ReplayHeader()], Replay),
        new("scenario", () => Directory.GetFiles(Path.Combine(PeerEnvironment.RepositoryRoot, "scenarios"), "*.json").Order().Select(File.ReadAllBytes), Scenario),
        new("peer", PeerTalk, Peer),
        new("tokens", () => ["play,control 0123456789abcdef side=1 priority=2 expires=2030-12-31 # one\n"u8.ToArray()], Tokens),
        new("hosts", () => ["localhost:8765\nhttp://localhost:3000"u8.ToArray(), "[::1]\nhttps://a.example"u8.ToArray()], Hosts),
        new("configuration", () => [ConfigurationText()], Configuration),
        new("path", () => ["Ladder/A.SC2Map"u8.ToArray(), "/game/Maps/../A"u8.ToArray()], ClientPath),
    ];

    /// <summary>Inputs that a fuzzer found because they reach other code.</summary>
    public IEnumerable<byte[]> Kept()
    {
        var folder = Path.Combine(
            PeerEnvironment.RepositoryRoot, "bridge-csharp", "test", "Sc2Bridge.Fuzz.Tests", "Corpus", Name);
        return Directory.Exists(folder) ? Directory.GetFiles(folder).Order().Select(File.ReadAllBytes) : [];
    }

    // The file that <c>sc2bridge init</c> writes, with its options.
    private static byte[] ConfigurationText() => Encoding.UTF8.GetBytes(string.Join(
        '\n', InitCommand.Text(Commands.Create()).Split('\n').Select(line => line is ['#', not ' ', ..] ? line[1..] : line)));

    private static void Configuration(byte[] bytes)
    {
        try
        {
            var file = new ConfigurationFile("a.toml", ConfigurationReader.Parse("a.toml", bytes), new ConfigurationOptions(Commands.Create()).ReadingCommands);
            _ = file.ConfiguredOptionsFor("match", file.ProfileNames.FirstOrDefault(), []);
        }
        catch (CommandException)
        {
        }
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
            Refusable(() => frame.Encoded(new TextEncoding(PartSet.None, IsColumns: false, IsEvent: true)).Dispose());
            Refusable(() => ObservationEvents.Of(bytes));
            Refusable(() => Show(bytes));
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

    private static void Show(byte[] bytes)
    {
        var shown = new MatchScene(null, null).Derive(bytes, ulong.MaxValue / 2);
        ImageData? none = null;
        _ = (shown.Units, shown.CreepIfChanged(ref none), shown.VisibilityIfChanged(ref none));
    }

    private static void Foxglove(byte[] bytes)
    {
        foreach (var parse in (Func<ClientMessage>[])[() => ClientMessage.ParseText(bytes), () => ClientMessage.ParseBinary(bytes)])
        {
            try
            {
                _ = parse();
            }
            catch (FoxgloveMessageException)
            {
            }
        }
    }

    private static void AgentJson(byte[] bytes)
    {
        PlayRequest read;
        try
        {
            read = JsonReader.ReadPlayRequest(bytes);
        }
        catch (EncodingException)
        {
            return;
        }

        // Accepted bytes are a message, so the message's text must be accepted and give the same message.
        using var text = new Text(read);
        Assert.Equal(read.ToByteArray(), JsonReader.ReadPlayRequest(text.Utf8).ToByteArray());
    }

    private static void Agent(byte[] bytes)
    {
        PlayRequest read;
        try
        {
            read = PlayRequest.Parser.ParseFrom(bytes);
        }
        catch (InvalidProtocolBufferException)
        {
            return;
        }

        // Both forms must give the same message. The bytes may differ: NaN has many forms, and there can be unknown fields.
        using var text = new Text(read);
        using var again = new Text(JsonReader.ReadPlayRequest(text.Utf8));
        Assert.Equal(Encoding.UTF8.GetString(text.Utf8), Encoding.UTF8.GetString(again.Utf8));
    }

    // One block of each group, and the next block of the same group.
    private static void Group(byte[] bytes)
    {
        using var decoder = new GroupDecoder(longest: 1 << 20);
        foreach (var part in (byte[][])[bytes[..(bytes.Length / 2)], bytes[(bytes.Length / 2)..]])
        {
            Refusable(() => decoder.Decode(Block.Parser.ParseFrom(part)));
        }
    }

    private static void Recording(byte[] bytes)
    {
        var path = Path.GetTempFileName();
        var repaired = path + ".repaired";
        try
        {
            File.WriteAllBytes(path, bytes);
            try
            {
                using var reader = RecordingReader.Open(path);
                _ = (reader.ReadGameInfo(), reader.ReadData(), reader.ReadGaps().Count(), reader.ReadEnd());
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

            try
            {
                RecordingRepair.Repair(path, repaired, CancellationToken.None);
            }
            catch (RecordingException)
            {
                return;
            }

            using var clean = RecordingReader.Open(repaired);
            Assert.Null(clean.Problem);
        }
        finally
        {
            File.Delete(path);
            File.Delete(repaired);
        }
    }

    private static void Replay(byte[] bytes)
    {
        try
        {
            _ = ReplayHead.Read(bytes, "the file");
        }
        catch (GameException)
        {
        }

        // A changed replay of the simulated game would fail the check of its hash.
        if (bytes.Length >= ReplayFile.BodyAt)
        {
            SHA256.HashData(bytes.AsSpan(ReplayFile.BodyAt), bytes.AsSpan(ReplayFile.HashAt));
        }

        try
        {
            _ = ReplayFile.Read(bytes, "the file");
        }
        catch (FormatException)
        {
        }
    }

    private static void Scenario(byte[] bytes)
    {
        try
        {
            _ = Sc2Bridge.Simulator.Scenario.Read(bytes, "the file");
        }
        catch (FormatException)
        {
        }
    }

    // The messages from the other process of a match for two: to the process that created the match, and to the other.
    private static void Peer(byte[] bytes)
    {
        foreach (var link in (PeerLink[])[Host(), Guest()])
        {
            link.Connected();
            link.Received(bytes);
        }
    }

    private static void Tokens(byte[] bytes)
    {
        try
        {
            _ = TokenFile.Parse(Encoding.UTF8.GetString(bytes), "the file", TokenStore.Empty, DateTimeOffset.UnixEpoch);
        }
        catch (CredentialException)
        {
        }
    }

    private static void Hosts(byte[] bytes)
    {
        var headers = Encoding.UTF8.GetString(bytes).Split('\n', 2);
        var http = new DefaultHttpContext();
        http.Request.Headers.Host = headers[0];
        http.Request.Headers.Origin = headers[^1];
        var allowed = new AllowedHosts(["bridge.example"], ["https://pages.example"], localPages: true);
        var refusal = allowed.Check(http.Request, isSocketFile: false);
        Assert.DoesNotContain(refusal?.Message ?? "", letter => letter is < ' ' or > '~');
    }

    private static void ClientPath(byte[] bytes)
    {
        var path = Encoding.UTF8.GetString(bytes);
        var folder = Path.GetFullPath("/game/Maps");
        if (GamePath.IsBelow(path))
        {
            Assert.StartsWith(folder, Path.GetFullPath(Path.Combine(folder, path)), StringComparison.Ordinal);
        }

        if (GamePath.IsBelow(path, folder))
        {
            Assert.StartsWith(folder, Path.GetFullPath(path), StringComparison.Ordinal);
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

    private static IEnumerable<byte[]> FoxgloveTalk() =>
    [
        """{"op":"subscribe","subscriptions":[{"id":0,"channelId":3}]}"""u8.ToArray(),
        """{"op":"unsubscribe","subscriptionIds":[0]}"""u8.ToArray(),
        [3, 1, 0, 0, 0x80, 0x3f, 1, 1, 2, 3, 4, 0, 0, 0, 0, 2, 0, 0, 0, .. "id"u8],
    ];

    private static IEnumerable<byte[]> AgentTexts()
    {
        yield return """{"subscribe":{"policy":"POLICY_LOCKSTEP","exclude":["PART_SCORE"],"queueBytes":"1048576"}}"""u8.ToArray();
        yield return """{"acknowledge":{"step":"3","times":[{"step":"3","decodeNs":"150000","clock":"CLOCK_SOURCE_SHARED"}]}}"""u8.ToArray();
        yield return """{"actions":{"step":"3","actions":[{"actionRaw":{"unitCommand":{"abilityId":1,"unitTags":["4294967297"],"targetWorldSpacePos":{"x":1.25,"y":-0}}}}]}}"""u8.ToArray();
        yield return """{"requestId":1,"callGame":{"request":{"query":{"pathing":[{"startPos":{"x":1,"y":2},"endPos":{"x":3,"y":4}}]}}}}"""u8.ToArray();
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

    private static IEnumerable<byte[]> Blocks()
    {
        using var compressor = new GroupCompressor();
        var messages = Enumerable.Range(0, 2).Select(index =>
        {
            var block = compressor.Add(Encoding.UTF8.GetBytes($"content {index} of a group, content {index} of a group"));
            var message = new Block
            {
                Group = block.Group.Number,
                Index = (uint)block.Index,
                WindowLog = (uint)block.Group.WindowLog,
                Size = (uint)block.Size,
                Data = ByteString.CopyFrom(block.Data.Span),
            }.ToByteArray();
            block.Release();
            return message;
        }).ToList();
        yield return [.. messages[0], .. messages[1]];
        yield return messages[0];
    }

    private static byte[] SavedReplay()
    {
        var game = new SimulatedGame(new SimulatorOptions());
        game.Handle(new Request { CreateGame = ForTwo(PlayerType.Computer) });
        game.Handle(new Request { JoinGame = Join(Race.Zerg) });
        var chat = new SC2APIProtocol.Action { ActionChat = new ActionChat { Message = "gl" } };
        game.Handle(new Request { Action = new RequestAction { Actions = { chat } } });
        game.Handle(new Request { Step = new RequestStep { Count = 2 } });
        return game.Handle(new Request { SaveReplay = new RequestSaveReplay() }).SaveReplay.Data.ToByteArray();
    }

    // All messages of a guest and then of a host until both are ready, and a few more.
    private static IEnumerable<byte[]> PeerTalk()
    {
        PeerLink[] links = [Guest(), Host()];
        byte[][] said = [[], []];
        Array.ForEach(links, link => link.Connected());
        for (var turn = 0; turn < 4; turn++)
        {
            foreach (var message in links[turn % 2].DrainOutgoing())
            {
                said[turn % 2] = [.. said[turn % 2], .. message];
                links[1 - (turn % 2)].Received(message);
            }

            if (turn == 1)
            {
                links[0].SendEntry(new JournalEntry(3, links[0].Player, new SC2APIProtocol.Action { ActionChat = new() { Message = "gl" } }));
                links[0].Grant(5);
            }
        }

        return said;
    }

    private static PeerLink Guest() => new(Join(Race.Zerg), null, new SimulatorOptions());

    private static PeerLink Host()
    {
        Assert.Null(GameDraft.Read(ForTwo(PlayerType.Participant), out var draft));
        return new PeerLink(Join(Race.Terran), draft, new SimulatorOptions());
    }

    private static RequestCreateGame ForTwo(PlayerType second) => new()
    {
        LocalMap = new LocalMap { MapPath = "Cinder Fortress LE" },
        PlayerSetup =
        {
            new PlayerSetup { Type = PlayerType.Participant },
            new PlayerSetup { Type = second, Race = Race.Zerg, Difficulty = Difficulty.VeryEasy },
        },
    };

    private static RequestJoinGame Join(Race race) => new()
    {
        Race = race,
        Options = new InterfaceOptions { Raw = true },
        ServerPorts = new PortSet { GamePort = 5001, BasePort = 5002 },
        ClientPorts = { new PortSet { GamePort = 5003, BasePort = 5004 } },
    };

    // The user data before an archive: its length, the header's offset and length, then a structure of two fields.
    private static byte[] ReplayHeader() => Convert.FromHexString(
        "4D50511B" + "00020000" + "00040000" + "20000000"
        + "050A00022C537461724372616674204949" + "02050C000902" + "0209" + "0A0900060908");

    private sealed class Text : IDisposable
    {
        private readonly MessageBuffer _buffer = MessageBuffer.Rent();

        public Text(PlayRequest message) => JsonWriter.Write(message, _buffer);

        public ReadOnlySpan<byte> Utf8 => _buffer.Written.Span;

        public void Dispose() => _buffer.Release();
    }
}
