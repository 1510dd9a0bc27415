using System.Security.Cryptography;
using Google.Protobuf;
using SC2APIProtocol;

namespace Sc2Bridge.Simulator.Commands;

/// <summary>
/// A match of the simulated game as a file: what decided it and its journal. Named *.SC2Replay as the game's are, but
/// of our own format: StarCraft II cannot play it, and this cannot play StarCraft II's.
/// </summary>
/// <remarks>
/// Sixteen bytes that say what it is, a SHA-256 of the rest, and then as protobuf writes them: the format's version,
/// the game's build and data version, setup message, longest match, loops played, each player's race and result, and
/// each entry of the journal behind their number.
/// </remarks>
/// <param name="PlayedIn">The game that it was played in.</param>
/// <param name="Setup">What decided it.</param>
/// <param name="Journal">What was done.</param>
/// <param name="Loops">How many were played.</param>
/// <param name="Outcome">Each player's race and result.</param>
internal sealed record ReplayFile(
    GameVersion PlayedIn, GameSetup Setup, Journal Journal, int Loops,
    IReadOnlyList<(Race Race, Result Result)> Outcome)
{
    private const int Version = 2;

    /// <summary>Where the hash stands.</summary>
    public const int HashAt = 16;

    /// <summary>Where what it is of begins.</summary>
    public const int BodyAt = HashAt + SHA256.HashSizeInBytes;

    private static ReadOnlySpan<byte> Magic => "sc2bridge replay"u8;

    private static ReadOnlySpan<byte> MoPaQ => "MPQ"u8;

    /// <summary>The match so far.</summary>
    public static ReplayFile Of(Match match, GameVersion playedIn) => new(
        playedIn,
        match.Setup,
        new Journal(match.Journal),
        match.World.Loop,
        [.. match.World.Seated.Select(p => (p.Race, ResultOf(match.World, p)))]);

    /// <summary>How a match stands for a player; undecided while it is played.</summary>
    private static Result ResultOf(World.GameWorld world, World.Player player) =>
        world.Ended && player.Result is { } result ? result : Result.Undecided;

    /// <summary>The file's bytes.</summary>
    public byte[] ToBytes()
    {
        using var bytes = new MemoryStream();
        bytes.Write(Magic);
        bytes.SetLength(BodyAt);
        bytes.Position = BodyAt;
        using (var output = new CodedOutputStream(bytes, leaveOpen: true))
        {
            output.WriteUInt32(Version);
            output.WriteUInt32(PlayedIn.BaseBuild);
            output.WriteString(PlayedIn.DataVersion);
            output.WriteBytes(Setup.ToMessage().ToByteString());
            output.WriteUInt32((uint)Setup.LongestMatch);
            output.WriteUInt32((uint)Loops);
            foreach (var (race, result) in Outcome)
            {
                output.WriteUInt32((uint)race);
                output.WriteUInt32((uint)result);
            }

            output.WriteUInt32((uint)Journal.Entries.Count);
            foreach (var entry in Journal.Entries)
            {
                JournalCodec.Write(output, entry);
            }
        }

        var file = bytes.ToArray();
        SHA256.HashData(file.AsSpan(BodyAt), file.AsSpan(HashAt));
        return file;
    }

    /// <summary>Reads a file.</summary>
    /// <param name="file">Not trusted.</param>
    /// <param name="name">What to call it in an error.</param>
    /// <exception cref="FormatException">It is none of ours; the message says what it is instead, as one
    /// line.</exception>
    public static ReplayFile Read(ReadOnlySpan<byte> file, string name)
    {
        if (file.StartsWith(MoPaQ))
        {
            throw new FormatException(
                $"{name} is a replay of StarCraft II itself: the simulated game plays only replays that it saved.");
        }

        if (!file.StartsWith(Magic))
        {
            throw new FormatException($"{name} is no replay of the simulated game.");
        }

        if (file.Length < BodyAt || !SHA256.HashData(file[BodyAt..]).AsSpan().SequenceEqual(file[HashAt..BodyAt]))
        {
            throw new FormatException($"{name} is cut off or damaged.");
        }

        try
        {
            return Read(new CodedInputStream(file[BodyAt..].ToArray()));
        }
        catch (Exception error) when (error is InvalidProtocolBufferException or FormatException)
        {
            throw new FormatException($"{name} cannot be played: {error.Message}.", error);
        }
    }

    private static ReplayFile Read(CodedInputStream input)
    {
        if (input.ReadUInt32() is not Version and var version)
        {
            throw new FormatException($"it is of version {version}, and this game reads version {Version}");
        }

        var playedIn = new GameVersion(input.ReadUInt32(), input.ReadString());
        var message = RequestCreateGame.Parser.ParseFrom(input.ReadBytes());
        var setup = GameSetup.FromMessage(message, (int)Math.Min(input.ReadUInt32(), int.MaxValue));
        var loops = input.ReadUInt32();
        if (loops > World.GameWorld.LastLoop)
        {
            throw new FormatException($"it says {loops} loops");
        }

        var outcome = new (Race, Result)[setup.Players.Count];
        for (var i = 0; i < outcome.Length; i++)
        {
            outcome[i] = ((Race)input.ReadUInt32(), (Result)input.ReadUInt32());
        }

        var journal = new Journal();
        for (var left = input.ReadUInt32(); left > 0; left--)
        {
            journal.Add(JournalCodec.Read(input, setup.Players.Count));
        }

        return input.IsAtEnd
            ? new ReplayFile(playedIn, setup, journal, (int)loops, outcome)
            : throw new FormatException("something follows its journal");
    }
}

/// <summary>A version of the game, as replays need the one that they were played in.</summary>
/// <param name="BaseBuild">Its build; 0 for a game that says none.</param>
/// <param name="DataVersion">The version of its data.</param>
internal readonly record struct GameVersion(uint BaseBuild, string DataVersion)
{
    /// <summary>Whether it plays what was played in another: the same alone, but for those without a build.</summary>
    public bool Plays(GameVersion other) => BaseBuild == 0 || other.BaseBuild == 0 || this == other;
}
