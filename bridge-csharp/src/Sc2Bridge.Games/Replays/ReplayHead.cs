using System.Buffers.Binary;
using System.Globalization;
using Sc2Bridge.Streaming;

namespace Sc2Bridge.Games;

/// <summary>The game that saved a replay.</summary>
public enum ReplayGameKind
{
    /// <summary>StarCraft II.</summary>
    StarCraft,

    /// <summary>The simulated game.</summary>
    Simulated,
}

/// <summary>The information in the beginning of a replay's file, read without a game.</summary>
/// <param name="Kind">The game that saved the replay.</param>
/// <param name="BaseBuild">The number in <c>Versions/BaseNNNNN</c> of the game that plays the replay; null if it is not in the file.</param>
/// <param name="DataVersion">
/// The value for the game's option <c>-dataVersion</c>, in capital letters; empty if the file does not contain it.
/// </param>
/// <param name="GameVersion">
/// The version as users know it (<c>4.10.1.75800</c>); empty if the file does not contain it.
/// </param>
/// <remarks>
/// StarCraft II's replays are MPQ archives behind an uncompressed header. Blizzard's s2protocol describes the header
/// (<c>replay_header_typeid</c>, the same in every version): field 1 is the version, field 5 is the key of the data. This key is the data
/// version: in replays of versions 4.1 to 5.0, the keys equal the data versions in Blizzard's list (s2client-proto,
/// <c>buildinfo/versions.json</c>).
/// </remarks>
public sealed record ReplayHead(ReplayGameKind Kind, int? BaseBuild, string DataVersion, string GameVersion)
{
    private const int VersionField = 1;
    private const int DataKeyField = 5;
    private const int HeaderStart = 16;

    private static ReadOnlySpan<byte> UserDataMark => "MPQ\x1b"u8;

    private static ReadOnlySpan<byte> Simulated => "sc2bridge replay"u8;

    /// <summary>Reads a file's beginning.</summary>
    /// <param name="file">The file's bytes. They may be damaged or hostile.</param>
    /// <param name="name">The file's name in an error message.</param>
    /// <exception cref="GameException">The file is not a replay, or its beginning is damaged.</exception>
    public static ReplayHead Read(ReadOnlySpan<byte> file, string name)
    {
        if (file.StartsWith(Simulated))
        {
            return new ReplayHead(ReplayGameKind.Simulated, null, "", "");
        }

        if (!file.StartsWith(UserDataMark))
        {
            throw new GameException(file.IsEmpty
                ? $"{name} is empty, so it is not a replay: copy it again."
                : $"{name} is not a replay of StarCraft II or of the simulated game: give a .SC2Replay file.");
        }

        if (file.Length < HeaderStart)
        {
            throw Damaged(name);
        }

        // The file begins with "MPQ\x1b" and three numbers: the space for user data, the archive's position, and the bytes used in the space.
        var usedLength = BinaryPrimitives.ReadUInt32LittleEndian(file[12..]);
        if (usedLength > file.Length - HeaderStart)
        {
            throw Damaged(name);
        }

        try
        {
            return Of(VersionedFields.Read(file.Slice(HeaderStart, (int)usedLength)));
        }
        catch (FormatException)
        {
            throw Damaged(name);
        }
    }

    private static ReplayHead Of(VersionedFields header)
    {
        var version = header.Struct(VersionField)
            ?? throw new FormatException("there is no version");
        var numbers = Enumerable.Range(1, 5).Select(field => version.Number(field) ?? 0).ToArray();
        if (numbers.Any(number => number is < 0 or > int.MaxValue))
        {
            throw new FormatException("a version number is out of range");
        }

        return new ReplayHead(
            ReplayGameKind.StarCraft,
            numbers[4] > 0 ? (int)numbers[4] : null,
            header.Struct(DataKeyField)?.Blob(1) is { Length: 16 } key ? Convert.ToHexString(key) : "",
            string.Join('.', numbers.Take(4).Select(number => number.ToString(CultureInfo.InvariantCulture))));
    }

    private static GameException Damaged(string name) =>
        new($"{name} is a damaged replay of StarCraft II: its beginning cannot be read. Copy it again.");
}
