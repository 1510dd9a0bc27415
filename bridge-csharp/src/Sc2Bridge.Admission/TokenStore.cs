using System.Security.Cryptography;
using System.Text;
using Sc2Bridge.Protocol;

namespace Sc2Bridge.Admission;

/// <summary>
/// Which token is whose. It keeps their hashes only, so that neither a log nor a dump of this has one. Never changes.
/// </summary>
public sealed class TokenStore
{
    // 128 bits: nobody guesses them.
    private const int TokenBytes = 16;

    private readonly (byte[] Hash, Identity Identity)[] _tokens;

    private TokenStore((byte[] Hash, Identity Identity)[] tokens) => _tokens = tokens;

    /// <summary>No token at all.</summary>
    public static TokenStore Empty { get; } = new([]);

    /// <summary>Whether there is no token.</summary>
    public bool IsEmpty => _tokens.Length == 0;

    /// <summary>A random token, 32 hexadecimal digits.</summary>
    public static string NewToken() => Convert.ToHexStringLower(RandomNumberGenerator.GetBytes(TokenBytes));

    /// <summary>The same and one more.</summary>
    public TokenStore With(string token, Identity identity) => new([.. _tokens, (HashOf(token), identity)]);

    /// <summary>Whose a token is, expired or not; null where it is nobody's.</summary>
    public Identity? Find(string token)
    {
        // Hashed, so that all have one length, and compared with every one in constant time: timing reveals nothing.
        var shown = HashOf(token);
        Identity? found = null;
        foreach (var (hash, identity) in _tokens)
        {
            found = CryptographicOperations.FixedTimeEquals(shown, hash) ? identity : found;
        }

        return found;
    }

    private static byte[] HashOf(string token)
    {
        ArgumentNullException.ThrowIfNull(token);
        return SHA256.HashData(Encoding.UTF8.GetBytes(token));
    }
}
