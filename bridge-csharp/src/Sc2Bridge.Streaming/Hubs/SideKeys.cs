using System.Security.Cryptography;
using System.Text;

namespace Sc2Bridge.Streaming;

/// <summary>
/// Keeps the sides of a match apart: a client with a side's key may see that side, play it and query its game, and no
/// other. Keys are random, and valid for every match of a hub.
/// </summary>
public sealed class SideKeys
{
    // 128 bits: nobody guesses them.
    private const int KeyBytes = 16;

    private readonly (uint? Side, byte[] Key)[] _keys;

    private SideKeys(IEnumerable<uint?> sides) => _keys = [.. sides.Select(side => (side, NewKey()))];

    /// <summary>A key for each side.</summary>
    /// <param name="sides">Player ids, as perspectives are.</param>
    public static SideKeys For(IEnumerable<uint> sides) => new(sides.Select(side => (uint?)side));

    /// <summary>One key, for a bridge that has one side of a match and does not know yet which.</summary>
    public static SideKeys ForOne() => new([null]);

    /// <summary>A side's key, 32 hexadecimal digits; with a single key, that one for any side.</summary>
    /// <exception cref="ArgumentException">There is no such side.</exception>
    public string Of(uint side)
    {
        var key = Array.Find(_keys, one => one.Side is null || one.Side == side).Key
            ?? throw new ArgumentException($"There is no side {side}.", nameof(side));
        return Encoding.ASCII.GetString(key);
    }

    /// <summary>Checks a key, and gives the perspective that it opens.</summary>
    /// <param name="key">The client's; empty for none.</param>
    /// <param name="perspective">The perspective asked for; null for the one that the key opens.</param>
    /// <returns>The perspective; null for the only one that there is.</returns>
    /// <exception cref="RequestRefusedException">PERMISSION_DENIED; the key is not in the message.</exception>
    internal uint? Admit(string key, uint? perspective)
    {
        var shown = Encoding.UTF8.GetBytes(key);
        var found = -1;
        for (var i = 0; i < _keys.Length; i++)
        {
            // Compared in constant time, and with every key, so that timing reveals nothing.
            found = CryptographicOperations.FixedTimeEquals(shown, _keys[i].Key) ? i : found;
        }

        if (found < 0)
        {
            throw Refused(key.Length == 0
                ? "the sides of this match are kept apart: show the key of yours (the bridge prints them when it "
                + "starts, and Python agents take it from SC2BRIDGE_KEY)"
                : "the key is that of no side of this match: take one that the bridge printed when it started");
        }

        var side = _keys[found].Side;
        return side is null || perspective is null || perspective == side
            ? side ?? perspective
            : throw Refused($"perspective {perspective} is not yours to see: your key is player {side}'s");
    }

    private static byte[] NewKey() =>
        Encoding.ASCII.GetBytes(Convert.ToHexStringLower(RandomNumberGenerator.GetBytes(KeyBytes)));

    private static RequestRefusedException Refused(string why) => new(
        StatusCode.PermissionDenied, $"{why}; --open-perspectives lets every subscriber see every side");
}
