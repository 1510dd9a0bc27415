namespace Sc2Bridge.Protocol;

/// <summary>Who a client is, and what it may do.</summary>
/// <param name="Name">As people read it; never the token itself.</param>
/// <param name="Roles">What it may do, with the roles that other roles imply.</param>
/// <param name="Side">The one player's id that it sees and plays; null: every side. <see cref="Anonymous"/>
/// sees no side that is kept apart.</param>
/// <param name="MaxPriority">The highest priority of orders that it may ask for; null: any.</param>
/// <param name="Expires">When it is no longer accepted; null: never.</param>
public sealed record Identity(
    string Name,
    Roles Roles,
    uint? Side = null,
    uint? MaxPriority = null,
    DateTimeOffset? Expires = null)
{
    /// <summary>A client without a token, if it needs no token: it may do everything except see a side that is kept apart.</summary>
    public static Identity Anonymous { get; } = new("anonymous", Roles.All);

    /// <summary>Whether it may not play. A client that holds or controls the match is no agent either.</summary>
    public bool MayNotPlay => !Roles.HasFlag(Roles.Play);
}
