using System.Net;
using System.Text;
using Google.Protobuf;
using SC2APIProtocol;
using Sc2Bridge.Simulator.Api;
using Sc2Bridge.Simulator.Commands;

namespace Sc2Bridge.Simulator.Multiplayer;

/// <summary>
/// One end of a game of two processes. Both ends agree on the match. Then each sends its client's actions and the loop that
/// the client has asked for. Both play the same world, so they send nothing else. No I/O: the caller moves the bytes.
/// </summary>
/// <remarks>
/// The process that created the game is the host. It listens on the first port of <c>server_ports</c>, and the other
/// process connects to it. This is our own protocol: the use of ports by StarCraft II is not documented. As there, both clients must give
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

    /// <summary>Creates an end that waits for the other one.</summary>
    /// <param name="join">This client's request.</param>
    /// <param name="draft">The game if it was created here; null if it was created in the other process.</param>
    /// <param name="options">The options of this game.</param>
    public PeerLink(RequestJoinGame join, GameDraft? draft, SimulatorOptions options) =>
        (_join, _draft, _options) = (join, draft, options);

    /// <summary>Whether the game was created here, so that this end listens.</summary>
    public bool Hosts => _draft is not null;

    /// <summary>The host's address. The default is this machine.</summary>
    public string Address => _join.HostIp.Length > 0 ? _join.HostIp : "127.0.0.1";

    /// <summary>The host's port.</summary>
    public int Port => _join.ServerPorts.GamePort;

    /// <summary>The match, when both ends have agreed on it.</summary>
    public GameSetup? Setup { get; private set; }

    /// <summary>The player of this end's client.</summary>
    public int Player { get; private set; }

    /// <summary>Whether both ends are ready to play.</summary>
    public bool Playing { get; private set; }

    /// <summary>Why the link has ended; null while it works.</summary>
    public string? Failure { get; private set; }

    /// <summary>The last loop that the other client has asked for. All loops if it has left.</summary>
    public int Granted { get; private set; }

    /// <summary>Why the two processes now play different matches; null if they play the same match.</summary>
    public string? Apart { get; private set; }

    /// <summary>Whether a client may make this process listen at an address, or connect to it.</summary>
    /// <param name="host">The client's <c>host_ip</c>.</param>
    /// <param name="allowed">The allowed hosts, in addition to this machine's loopback.</param>
    public static bool MayUse(string host, IReadOnlyList<string> allowed) =>
        host is "" or "localhost" || (IPAddress.TryParse(host, out var address) && IPAddress.IsLoopback(address))
        || allowed.Contains(host);

    /// <summary>Sends the first message, when the two ends are connected.</summary>
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

    /// <summary>Handles bytes from the other end.</summary>
    public void Received(ReadOnlySpan<byte> bytes)
    {
        if (Failure is not null)
        {
            return;
        }

        try
        {
            _incoming.Append(bytes);
            while (Failure is null && _incoming.TryRead(out var message, out var content))
            {
                Handle(message, content);
            }
        }
        catch (Exception error) when (error is FormatException or InvalidProtocolBufferException)
        {
            Lost($"The other game sent an invalid message: {error.Message}");
        }
    }

    /// <summary>Handles a connection that ended or could not be made.</summary>
    /// <param name="why">The reason, in one line.</param>
    public void Lost(string why)
    {
        if (Failure is not null)
        {
            return;
        }

        Failure = why;
        if (Playing)
        {
            // As in the game, a player that disconnects is defeated. It has done nothing after the last loop that it granted.
            if (!_left)
            {
                _entries.Add(new JournalEntry(Granted, Other, null));
            }

            Granted = int.MaxValue;
        }
    }

    /// <summary>Sends an action of this client.</summary>
    public void SendEntry(in JournalEntry entry)
    {
        var sent = entry;
        Send(PeerMessage.Entry, output => JournalCodec.Write(output, sent));
    }

    /// <summary>Sends the last loop that this client has asked for.</summary>
    public void Grant(int loop) => Send(PeerMessage.Grant, output => output.WriteUInt32((uint)loop));

    /// <summary>Regularly sends a checksum of the world, and compares it with the other end's.</summary>
    /// <param name="world">The world after a loop.</param>
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
        _comparison.AddOwn(loop, sum);
        CheckDifference();
    }

    /// <summary>Returns and clears the other client's actions.</summary>
    public JournalEntry[] DrainEntries()
    {
        JournalEntry[] taken = [.. _entries];
        _entries.Clear();
        return taken;
    }

    /// <summary>Returns and clears the messages to send.</summary>
    public byte[][] DrainOutgoing()
    {
        byte[][] taken = [.. _outgoing];
        _outgoing.Clear();
        return taken;
    }

    private int Other => Setup!.Players.Select((p, i) => (p, Id: i + 1))
        .First(p => p.p.Type == PlayerType.Participant && p.Id != Player).Id;

    private void Handle(PeerMessage message, byte[] content)
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
                    throw new FormatException("the setup does not have two participants");
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
                    throw new FormatException("an action of another player, or of a loop that has passed");
                }

                _left |= entry.What is null;
                _entries.Add(entry);
                break;
            case PeerMessage.Grant when Playing:
                var loop = input.ReadUInt32();
                Granted = loop >= Granted && loop <= World.GameWorld.LastLoop
                    ? (int)loop
                    : throw new FormatException($"a grant of loop {loop} after loop {Granted}");
                break;
            case PeerMessage.Checksum when Playing:
                _comparison.AddTheirs(input.ReadUInt32(), input.ReadFixed64());
                CheckDifference();
                break;
            case PeerMessage.Refused when !Playing:
                Failure = Encoding.UTF8.GetString(content);
                break;
            default:
                throw new FormatException($"a {message} message at the wrong time");
        }
    }

    // If the two worlds differ, the match cannot continue.
    private void CheckDifference()
    {
        if (_comparison.DiffersSince is { } loop && Failure is null)
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
        var refusal = version != Version ? $"The two games have different versions ({Version} and {version}): use the same version for both."
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
