namespace Sc2Bridge.Protocol;

/// <summary>Who a client is, and its rights.</summary>
/// <param name="Name">A readable name; never the token itself.</param>
/// <param name="Roles">The client's rights, including the roles that other roles imply.</param>
/// <param name="Side">
/// The id of the one player that the client sees and commands. Null if the client may see every side. Exception: the side of
/// <see cref="Anonymous"/> is null too, but a bridge that keeps sides apart shows no side to such a client.
/// </param>
/// <param name="MaxPriority">The highest priority that the client may request for its orders; null for no limit.</param>
/// <param name="Expires">The time at which the token expires; null for never.</param>
public sealed record Identity(
    string Name,
    Roles Roles,
    uint? Side = null,
    uint? MaxPriority = null,
    DateTimeOffset? Expires = null)
{
    /// <summary>A client without a token, on a bridge that requires none. If the bridge keeps sides apart, such a client sees no side.</summary>
    public static Identity Anonymous { get; } = new("anonymous", Roles.All);

    /// <summary>Whether the client lacks the role <c>play</c>. Such a client is not an agent, even with the role <c>hold</c> or <c>control</c>.</summary>
    public bool LacksPlayRole => !Roles.HasFlag(Roles.Play);
}
