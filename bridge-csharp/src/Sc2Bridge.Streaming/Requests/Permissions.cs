using Sc2Bridge.Protocol;
using Sc2Bridge.V1;

namespace Sc2Bridge.Streaming;

/// <summary>Checks what a client asks for against what it may do.</summary>
internal static class Permissions
{
    /// <summary>A client has these roles, and still is accepted.</summary>
    /// <param name="identity">The client.</param>
    /// <param name="roles">What it needs, all of them.</param>
    /// <param name="what">What it asks for, as the beginning of a sentence.</param>
    /// <param name="clock">Says whether its token has expired.</param>
    /// <exception cref="RequestRefusedException">UNAUTHENTICATED, PERMISSION_DENIED: it names the role.</exception>
    public static void Require(Identity identity, Roles roles, string what, TimeProvider clock)
    {
        if (identity.Expires <= clock.GetUtcNow())
        {
            throw Counted("token", Errors.TokenExpired());
        }

        if ((roles & ~identity.Roles) is not Roles.None and var lacking)
        {
            throw Denied($"{what} takes the role '{NameOf(lacking)}', which your token does not give");
        }
    }

    /// <summary>What a subscriber asks for is its own to ask; where it did not choose, what it may have is chosen.</summary>
    /// <param name="request">What it asks for; changed.</param>
    /// <param name="identity">The subscriber.</param>
    /// <param name="options">The hub's.</param>
    /// <exception cref="RequestRefusedException">UNAUTHENTICATED, PERMISSION_DENIED.</exception>
    public static void Admit(V1.SubscribeRequest request, Identity identity, HubOptions options)
    {
        Require(identity, Roles.Watch, "a subscription", options.TimeProvider);
        var isEvery = request.Policy is Policy.Every or Policy.Unspecified;
        if (isEvery && request.Overflow == Overflow.Unspecified && !identity.Roles.HasFlag(Roles.Hold))
        {
            request.Overflow = Overflow.End;
        }

        if (request.Policy == Policy.Lockstep)
        {
            Require(identity, Roles.Hold, "POLICY_LOCKSTEP, which makes the game wait,", options.TimeProvider);
        }
        else if (isEvery && request.Overflow == Overflow.Pause)
        {
            Require(identity, Roles.Hold, "OVERFLOW_PAUSE, which makes the game wait,", options.TimeProvider);
        }

        if (request.CanAct)
        {
            Require(identity, Roles.Play, "can_act", options.TimeProvider);
        }

        if (request.Priority > identity.MaxPriority)
        {
            throw Denied($"priority {request.Priority} is more than your token gives: ask for at most "
                + $"{identity.MaxPriority}");
        }

        if (Perspective(identity, request.HasPerspective ? request.Perspective : null, options.SidesApart) is { } own)
        {
            request.Perspective = own;
        }
    }

    /// <summary>The perspective that a client may see: its own, or the one that it asks for.</summary>
    /// <param name="identity">The client.</param>
    /// <param name="asked">The one that it asks for; null for its own.</param>
    /// <param name="apart">Whether sides are kept apart: then nobody sees one without a token.</param>
    /// <returns>Null where it did not choose and may have any.</returns>
    /// <exception cref="RequestRefusedException">UNAUTHENTICATED, PERMISSION_DENIED.</exception>
    public static uint? Perspective(Identity identity, uint? asked, bool apart)
    {
        if (apart && identity == Identity.Anonymous)
        {
            throw Counted("token", new RequestRefusedException(
                StatusCode.Unauthenticated,
                "the sides of this match are kept apart: show the token of yours (agents take it from SC2BRIDGE_TOKEN); "
                + "--open-perspectives lets every subscriber see every side"));
        }

        return identity.Side is null || asked is null || asked == identity.Side
            ? identity.Side ?? asked
            : throw Denied($"perspective {asked} is not yours to see: your token is player {identity.Side}'s");
    }

    private static string NameOf(Roles roles) => $"{roles}".ToLowerInvariant();

    private static RequestRefusedException Denied(string why) =>
        Counted("role", new RequestRefusedException(StatusCode.PermissionDenied, why));

    private static RequestRefusedException Counted(string reason, RequestRefusedException refused)
    {
        new Refusal(reason, refused.Message).Count();
        return refused;
    }
}
