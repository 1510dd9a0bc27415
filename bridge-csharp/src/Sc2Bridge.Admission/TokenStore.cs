using System.Security.Cryptography;
using System.Text;
using Sc2Bridge.Protocol;

namespace Sc2Bridge.Admission;

/// <summary>
/// Finds the identity of a token. The store keeps only hashes of tokens, so that no log or memory dump contains a token. Immutable.
/// </summary>
public sealed class TokenStore
{
    // 128 bits cannot be guessed.
    private const int TokenBytes = 16;

    private readonly (byte[] Hash, Identity Identity)[] _tokens;

    private TokenStore((byte[] Hash, Identity Identity)[] tokens) => _tokens = tokens;

    /// <summary>A store without tokens.</summary>
    public static TokenStore Empty { get; } = new([]);

    /// <summary>Whether the store contains no token.</summary>
    public bool IsEmpty => _tokens.Length == 0;

    /// <summary>Makes a random token of 32 hexadecimal digits.</summary>
    public static string NewToken() => Convert.ToHexStringLower(RandomNumberGenerator.GetBytes(TokenBytes));

    /// <summary>Returns a copy with one more token.</summary>
    public TokenStore With(string token, Identity identity) => new([.. _tokens, (HashOf(token), identity)]);

    /// <summary>Finds the identity of a token, even if it has expired; null for an unknown token.</summary>
    public Identity? Find(string token)
    {
        // All hashes have the same length, and each hash is compared in constant time. So the timing reveals nothing.
        var searchedHash = HashOf(token);
        Identity? found = null;
        foreach (var (hash, identity) in _tokens)
        {
            found = CryptographicOperations.FixedTimeEquals(searchedHash, hash) ? identity : found;
        }

        return found;
    }

    private static byte[] HashOf(string token)
    {
        ArgumentNullException.ThrowIfNull(token);
        return SHA256.HashData(Encoding.UTF8.GetBytes(token));
    }
}
