using System.Net;
using System.Text;
using Google.Protobuf;
using SC2APIProtocol;
using Sc2Bridge.Simulator.Api;
using Sc2Bridge.Simulator.Commands;

namespace Sc2Bridge.Simulator.Multiplayer;

/// <summary>
/// One end of a game of two processes: agrees with the other end on the match, then tells it what this client does and
/// how far it has asked to play, and receives the same. Both play the same world, so nothing else is sent. No I/O: a
/// shell moves the bytes.
/// </summary>
/// <remarks>
/// The process in which the game was created is the host: it listens on the first port of <c>server_ports</c>, and the
/// other comes to it. That is ours; how StarCraft II uses its ports is not documented. As there, both clients must give
/// the same ports.
/// </remarks>
internal sealed class PeerLink
{
    private const uint Version = 2;
    private readonly RequestJoinGame _join;
    private readonly GameDraft? _draft;
    private readonly SimulatorOptions _options;
    private readonly PeerFrames _incoming = new();
    private readonly List<byte[]> _outgoing = [];
    private readonly List<JournalEntry> _entries = [];
    private readonly Comparison _comparison = new();
    private bool _left;

    /// <summary>An end that waits for the other.</summary>
    /// <param name="join">What this client asked.</param>
    /// <param name="draft">The game where it was created here; null where it was in the other process.</param>
    /// <param name="options">How this game runs.</param>
    public PeerLink(RequestJoinGame join, GameDraft? draft, SimulatorOptions options) =>
        (_join, _draft, _options) = (join, draft, options);

    /// <summary>Whether the game was created here: this end listens.</summary>
    public bool Hosts => _draft is not null;

    /// <summary>The host's address; this machine where none was said.</summary>
    public string Address => _join.HostIp.Length > 0 ? _join.HostIp : "127.0.0.1";

    /// <summary>The host's port.</summary>
    public int Port => _join.ServerPorts.GamePort;

    /// <summary>The match, once both ends have agreed on it.</summary>
    public GameSetup? Setup { get; private set; }

    /// <summary>The player of this end's client.</summary>
    public int Player { get; private set; }

    /// <summary>Whether both ends stand ready to play.</summary>
    public bool Playing { get; private set; }

    /// <summary>Why the link is no more; null while it is.</summary>
    public string? Failure { get; private set; }

    /// <summary>The loop that the other client has asked to play to; all loops once it is gone.</summary>
    public int Granted { get; private set; }

    /// <summary>Why the two play different matches by now; null while they play the same.</summary>
    public string? Apart { get; private set; }

    /// <summary>Whether a client may have this process listen at, or connect to, a host.</summary>
    /// <param name="host">Its <c>host_ip</c>.</param>
    /// <param name="allowed">Which it may, beside this machine's loopback.</param>
    public static bool MayUse(string host, IReadOnlyList<string> allowed) =>
        host is "" or "localhost" || (IPAddress.TryParse(host, out var address) && IPAddress.IsLoopback(address))
        || allowed.Contains(host);

    /// <summary>Says what there is to say first, once the two are connected.</summary>
    public void Connected()
    {
        if (!Hosts)
        {
            Send(PeerMessage.Hello, output =>
            {
                output.WriteUInt32(Version);
                output.WriteBytes(_join.ToByteString());
            });
        }
    }

    /// <summary>Takes bytes of the other end.</summary>
    public void Received(ReadOnlySpan<byte> bytes)
    {
        if (Failure is not null)
        {
            return;
        }

        try
        {
            _incoming.Append(bytes);
            while (Failure is null && _incoming.TryTake(out var message, out var content))
            {
                Take(message, content);
            }
        }
        catch (Exception error) when (error is FormatException or InvalidProtocolBufferException)
        {
            Lost($"The other game sent what cannot be read: {error.Message}");
        }
    }

    /// <summary>The connection ended, or could not be made.</summary>
    /// <param name="why">As one line.</param>
    public void Lost(string why)
    {
        if (Failure is not null)
        {
            return;
        }

        Failure = why;
        if (Playing)
        {
            // As in the game: who vanishes has given up. It did nothing after what it granted.
            if (!_left)
            {
                _entries.Add(new JournalEntry(Granted, Other, null));
            }

            Granted = int.MaxValue;
        }
    }

    /// <summary>Tells what this client does.</summary>
    public void Tell(in JournalEntry entry)
    {
        var told = entry;
        Send(PeerMessage.Entry, output => JournalCodec.Write(output, told));
    }

    /// <summary>Tells how far this client has asked to play.</summary>
    public void Grant(int loop) => Send(PeerMessage.Grant, output => output.WriteUInt32((uint)loop));

    /// <summary>
    /// Tells the other end how the world stands now and then, and finds out whether its own is the same.
    /// </summary>
    /// <param name="world">After a loop.</param>
    public void Compare(World.GameWorld world)
    {
        if (world.Loop % Comparison.Every != 0 || Failure is not null)
        {
            return;
        }

        var (loop, sum) = (world.Loop, World.WorldChecksum.Of(world));
        Send(PeerMessage.Checksum, output =>
        {
            output.WriteUInt32((uint)loop);
            output.WriteFixed64(sum);
        });
        _comparison.TakeOwn(loop, sum);
        Part();
    }

    /// <summary>Takes what the other client did since the last time.</summary>
    public JournalEntry[] TakeEntries()
    {
        JournalEntry[] taken = [.. _entries];
        _entries.Clear();
        return taken;
    }

    /// <summary>Takes the messages that are to be sent.</summary>
    public byte[][] TakeOutgoing()
    {
        byte[][] taken = [.. _outgoing];
        _outgoing.Clear();
        return taken;
    }

    private int Other => Setup!.Players.Select((p, i) => (p, Id: i + 1))
        .First(p => p.p.Type == PlayerType.Participant && p.Id != Player).Id;

    private void Take(PeerMessage message, byte[] content)
    {
        var input = new CodedInputStream(content);
        switch (message)
        {
            case PeerMessage.Hello when Hosts && Setup is null:
                Welcome(input);
                break;
            case PeerMessage.Setup when !Hosts && Setup is null:
                Player = (int)input.ReadUInt32();
                var longest = (int)Math.Min(input.ReadUInt32(), int.MaxValue);
                Setup = GameSetup.FromMessage(RequestCreateGame.Parser.ParseFrom(input.ReadBytes()), longest);
                if (Setup.Players.Count(p => p.Type == PlayerType.Participant) != 2
                    || Player < 1 || Player > Setup.Players.Count
                    || Setup.Players[Player - 1].Type != PlayerType.Participant)
                {
                    throw new FormatException("a setup without two participants");
                }

                Send(PeerMessage.Ready, _ => { });
                Playing = true;
                break;
            case PeerMessage.Ready when Hosts && Setup is not null && !Playing:
                Playing = true;
                break;
            case PeerMessage.Entry when Playing:
                var entry = JournalCodec.Read(input, Setup!.Players.Count);
                if (entry.Player != Other || entry.Loop < Granted)
                {
                    throw new FormatException("an action of another player or of a loop that is past");
                }

                _left |= entry.What is null;
                _entries.Add(entry);
                break;
            case PeerMessage.Grant when Playing:
                var loop = input.ReadUInt32();
                Granted = loop >= Granted && loop <= World.GameWorld.LastLoop
                    ? (int)loop
                    : throw new FormatException($"loop {loop} after {Granted}");
                break;
            case PeerMessage.Checksum when Playing:
                _comparison.TakeTheirs(input.ReadUInt32(), input.ReadFixed64());
                Part();
                break;
            case PeerMessage.Refused when !Playing:
                Failure = Encoding.UTF8.GetString(content);
                break;
            default:
                throw new FormatException($"{message} at the wrong time");
        }
    }

    // Nothing can be played on once the two differ.
    private void Part()
    {
        if (_comparison.Apart is { } loop && Failure is null)
        {
            Apart = $"The two games differ since loop {loop} or the {Comparison.Every - 1} before it: the match ends "
                + "in a tie. Run both clients' games from the same version of the simulated game.";
            Failure = Apart;
        }
    }

    private void Welcome(CodedInputStream input)
    {
        var version = input.ReadUInt32();
        var join = RequestJoinGame.Parser.ParseFrom(input.ReadBytes());
        var refusal = version != Version ? $"The two games are of different versions ({Version} and {version})."
            : !Equals(join.ServerPorts, _join.ServerPorts) || !join.ClientPorts.Equals(_join.ClientPorts)
            ? "The two clients gave different ports: both must send the same server_ports and client_ports."
            : null;
        if (refusal is not null)
        {
            _outgoing.Add(PeerFrames.Pack(PeerMessage.Refused, Encoding.UTF8.GetBytes(refusal)));
            Failure = refusal;
            return;
        }

        Setup = _draft!.Complete([_join, join], _options);
        Player = _draft.Participants[0];
        Send(PeerMessage.Setup, output =>
        {
            output.WriteUInt32((uint)_draft.Participants[1]);
            output.WriteUInt32((uint)Setup.LongestMatch);
            output.WriteBytes(Setup.ToMessage().ToByteString());
        });
    }

    private void Send(PeerMessage message, Action<CodedOutputStream> write)
    {
        using var bytes = new MemoryStream();
        using (var output = new CodedOutputStream(bytes, leaveOpen: true))
        {
            write(output);
        }

        _outgoing.Add(PeerFrames.Pack(message, bytes.ToArray()));
    }
}
