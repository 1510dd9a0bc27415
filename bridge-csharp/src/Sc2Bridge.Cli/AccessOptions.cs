using Sc2Bridge.Admission;

namespace Sc2Bridge.Cli;

/// <summary>The access control of a session.</summary>
internal sealed record AccessOptions
{
    /// <summary>The tokens that the user gave.</summary>
    public TokenStore Tokens { get; init; } = TokenStore.Empty;

    /// <summary>The same tokens as texts, which are removed from texts that other people will read.</summary>
    public IReadOnlyList<string> TokenTexts { get; init; } = [];

    /// <summary>The path of the token file; null if the user gave none.</summary>
    public string? TokenFile { get; init; }

    /// <summary>Whether all clients may connect without a token, at every address.</summary>
    public bool IsInsecure { get; init; }

    /// <summary>The certificate; null for no TLS.</summary>
    public Tls? Tls { get; init; }

    /// <summary>
    /// The sides that may not see each other, each with its own token. A null element is a side whose player
    /// id is not known yet. Empty if any subscriber may see any perspective.
    /// </summary>
    public IReadOnlyList<uint?> SidesApart { get; init; } = [];
}
