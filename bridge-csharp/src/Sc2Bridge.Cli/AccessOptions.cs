using Sc2Bridge.Admission;

namespace Sc2Bridge.Cli;

/// <summary>Who may connect.</summary>
internal sealed record AccessOptions
{
    /// <summary>Those that the person gave.</summary>
    public TokenStore Tokens { get; init; } = TokenStore.Empty;

    /// <summary>Whether clients need none at any address.</summary>
    public bool IsInsecure { get; init; }

    /// <summary>The certificate; null: no TLS.</summary>
    public Tls? Tls { get; init; }

    /// <summary>
    /// The sides that are kept apart, each with a token of its own; null where there is one whose number is not known
    /// yet. Empty where any subscriber may see any perspective.
    /// </summary>
    public IReadOnlyList<uint?> SidesApart { get; init; } = [];
}
