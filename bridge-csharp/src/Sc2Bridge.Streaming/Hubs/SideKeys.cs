using System.Security.Cryptography;
using System.Text;

namespace Sc2Bridge.Streaming;

/// <summary>
/// Keeps the sides of a match apart: whoever shows a side's key may hear it, play it and ask its game, and no other.
/// Keys are random, and hold for every match of a hub.
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

    /// <summary>One key, for a bridge that has one side of a match, whichever it will be.</summary>
    public static SideKeys ForOne() => new([null]);

    /// <summary>A side's key, 32 hexadecimal digits; of the only side whatever the number.</summary>
    /// <exception cref="ArgumentException">There is no such side.</exception>
    public string Of(uint side)
    {
        var key = Array.Find(_keys, one => one.Side is null || one.Side == side).Key
            ?? throw new ArgumentException($"There is no side {side}.", nameof(side));
        return Encoding.ASCII.GetString(key);
    }

    /// <summary>Lets a key's holder in, with the eyes of its side.</summary>
    /// <param name="key">What was shown; empty for nothing.</param>
    /// <param name="perspective">What is asked for; null for whichever the key opens.</param>
    /// <returns>The perspective that is opened; null for the only one that there is.</returns>
    /// <exception cref="RequestRefusedException">PERMISSION_DENIED; the key is not in the message.</exception>
    internal uint? Admit(string key, uint? perspective)
    {
        var shown = Encoding.UTF8.GetBytes(key);
        var found = -1;
        for (var i = 0; i < _keys.Length; i++)
        {
            // Each is compared whole, so that the time tells nothing of them.
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
