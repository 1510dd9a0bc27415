using System.Buffers.Binary;
using System.Globalization;
using Sc2Bridge.Streaming;

namespace Sc2Bridge.Games;

/// <summary>Which game a replay is of.</summary>
public enum ReplayKind
{
    /// <summary>StarCraft II.</summary>
    StarCraft,

    /// <summary>The simulated game.</summary>
    Simulated,
}

/// <summary>What a replay's file says of itself, without a game.</summary>
/// <param name="Kind">Which game saved it.</param>
/// <param name="BaseBuild">The <c>Versions/BaseNNNNN</c> that plays it; null where the file does not say.</param>
/// <param name="DataVersion">
/// What <c>-dataVersion</c> takes, in capital letters; empty where the file does not say.
/// </param>
/// <param name="GameVersion">
/// The version as people write it (<c>4.10.1.75800</c>); empty where the file does not say.
/// </param>
/// <remarks>
/// StarCraft II's replays are MPQ archives, before which stands, uncompressed, a header as Blizzard's s2protocol
/// describes it (<c>replay_header_typeid</c>, the same in every version): field 1 the version, field 5 the key of the
/// data. That the latter is the data version shows in replays of 4.1 to 5.0 beside Blizzard's list of versions
/// (s2client-proto,
/// <c>buildinfo/versions.json</c>).
/// </remarks>
public sealed record ReplayHead(ReplayKind Kind, int? BaseBuild, string DataVersion, string GameVersion)
{
    private const int VersionField = 1;
    private const int DataKeyField = 5;
    private const int HeaderAt = 16;

    private static ReadOnlySpan<byte> UserData => "MPQ\x1b"u8;

    private static ReadOnlySpan<byte> Simulated => "sc2bridge replay"u8;

    /// <summary>Reads a file's beginning.</summary>
    /// <param name="file">Not trusted.</param>
    /// <param name="name">What to call it in an error.</param>
    /// <exception cref="GameException">It is no replay, or its beginning is damaged.</exception>
    public static ReplayHead Read(ReadOnlySpan<byte> file, string name)
    {
        if (file.StartsWith(Simulated))
        {
            return new ReplayHead(ReplayKind.Simulated, null, "", "");
        }

        if (!file.StartsWith(UserData))
        {
            throw new GameException(file.IsEmpty
                ? $"{name} is empty: it is no replay."
                : $"{name} is no replay, neither of StarCraft II nor of the simulated game.");
        }

        if (file.Length < HeaderAt)
        {
            throw Damaged(name);
        }

        // "MPQ\x1b", the room for the user data, where the archive begins, and how many bytes are used.
        var used = BinaryPrimitives.ReadUInt32LittleEndian(file[12..]);
        if (used > file.Length - HeaderAt)
        {
            throw Damaged(name);
        }

        try
        {
            return Of(VersionedFields.Read(file.Slice(HeaderAt, (int)used)));
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
            throw new FormatException("no version has such numbers");
        }

        return new ReplayHead(
            ReplayKind.StarCraft,
            numbers[4] > 0 ? (int)numbers[4] : null,
            header.Struct(DataKeyField)?.Blob(1) is { Length: 16 } key ? Convert.ToHexString(key) : "",
            string.Join('.', numbers.Take(4).Select(number => number.ToString(CultureInfo.InvariantCulture))));
    }

    private static GameException Damaged(string name) =>
        new($"{name} is a damaged replay of StarCraft II: its beginning cannot be read. Copy it anew.");
}
