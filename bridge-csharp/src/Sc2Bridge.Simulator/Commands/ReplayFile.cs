using System.Security.Cryptography;
using Google.Protobuf;
using SC2APIProtocol;

namespace Sc2Bridge.Simulator.Commands;

/// <summary>
/// A match of the simulated game as a file: its setup and its journal. Its name ends in .SC2Replay, but the format is our
/// own: StarCraft II cannot play it, and the simulated game cannot play StarCraft II's replays.
/// </summary>
/// <remarks>
/// The file has a magic number of sixteen bytes and a SHA-256 of the rest. Then follow, as protobuf writes them: the
/// format's version, the game's build and data version, the setup message, the longest match, the number of loops, each
/// player's race and result, the number of journal entries, and the entries.
/// </remarks>
/// <param name="PlayedIn">The version of the game that played it.</param>
/// <param name="Setup">The setup.</param>
/// <param name="Journal">The clients' actions.</param>
/// <param name="Loops">The number of loops that were played.</param>
/// <param name="Outcome">Each player's race and result.</param>
internal sealed record ReplayFile(
    GameVersion PlayedIn, GameSetup Setup, Journal Journal, int Loops,
    IReadOnlyList<(Race Race, Result Result)> Outcome)
{
    private const int Version = 2;

    /// <summary>The offset of the hash.</summary>
    public const int HashAt = 16;

    /// <summary>The offset of the bytes that are hashed.</summary>
    public const int BodyAt = HashAt + SHA256.HashSizeInBytes;

    private static ReadOnlySpan<byte> Magic => "sc2bridge replay"u8;

    private static ReadOnlySpan<byte> MoPaQ => "MPQ"u8;

    /// <summary>Creates a replay of the match so far.</summary>
    public static ReplayFile Of(Match match, GameVersion playedIn) => new(
        playedIn,
        match.Setup,
        new Journal(match.Journal),
        match.World.Loop,
        [.. match.World.Seated.Select(p => (p.Race, ResultOf(match.World, p)))]);

    /// <summary>A player's result. Undecided until the match ends.</summary>
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
    /// <param name="file">The bytes, which are not trusted.</param>
    /// <param name="name">The file's name in error messages.</param>
    /// <exception cref="FormatException">It is not a valid replay. The message is one line.</exception>
    public static ReplayFile Read(ReadOnlySpan<byte> file, string name)
    {
        if (file.StartsWith(MoPaQ))
        {
            throw new FormatException(
                $"{name} is a replay of StarCraft II: the simulated game plays only replays that it saved.");
        }

        if (!file.StartsWith(Magic))
        {
            throw new FormatException($"{name} is not a replay of the simulated game.");
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
            throw new FormatException($"its format has version {version}, but this game reads version {Version}");
        }

        var playedIn = new GameVersion(input.ReadUInt32(), input.ReadString());
        var message = RequestCreateGame.Parser.ParseFrom(input.ReadBytes());
        var setup = GameSetup.FromMessage(message, (int)Math.Min(input.ReadUInt32(), int.MaxValue));
        var loops = input.ReadUInt32();
        if (loops > World.GameWorld.LastLoop)
        {
            throw new FormatException($"it has {loops} loops, more than {World.GameWorld.LastLoop}");
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
            : throw new FormatException("it has bytes after its journal");
    }
}

/// <summary>A version of the game. A replay needs the version that played it.</summary>
/// <param name="BaseBuild">The build; 0 if the game reports no build.</param>
/// <param name="DataVersion">The version of the data.</param>
internal readonly record struct GameVersion(uint BaseBuild, string DataVersion)
{
    /// <summary>The version in the response to Ping. No real game has such a version.</summary>
    public string Name
    {
        get
        {
            var build = BaseBuild;
            return $"{Api.SimulatedBuild.All.FirstOrDefault(known => known.BaseBuild == build)?.Name ?? Api.SimulatedBuild.Newest}.simulated";
        }
    }

    /// <summary>Whether this version plays a replay of another one: the versions are equal, or one of them has no build.</summary>
    public bool Plays(GameVersion other) => BaseBuild == 0 || other.BaseBuild == 0 || this == other;
}
