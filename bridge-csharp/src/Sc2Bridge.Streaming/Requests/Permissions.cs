using Sc2Bridge.Protocol;
using Sc2Bridge.V1;

namespace Sc2Bridge.Streaming;

/// <summary>Checks whether a client may do what it asks for.</summary>
internal static class Permissions
{
    /// <summary>Checks that a client has these roles and that its token has not expired.</summary>
    /// <param name="identity">The client.</param>
    /// <param name="roles">The roles that the client must have, all of them.</param>
    /// <param name="what">What the client asks for, as the start of the error message.</param>
    /// <param name="clock">The clock for the token's expiry.</param>
    /// <exception cref="RequestRefusedException">UNAUTHENTICATED: the token has expired. PERMISSION_DENIED: a role is missing.</exception>
    public static void Require(Identity identity, Roles roles, string what, TimeProvider clock)
    {
        if (identity.Expires <= clock.GetUtcNow())
        {
            throw CountRefusal("token", Errors.TokenExpired());
        }

        if ((roles & ~identity.Roles) is not Roles.None and var lacking)
        {
            throw Denied($"{what} requires the role '{NameOf(lacking)}', which your token does not have");
        }
    }

    /// <summary>Checks the permissions for a subscription, and fills in values that the client did not choose.</summary>
    /// <param name="request">The request, which this method changes.</param>
    /// <param name="identity">The subscriber.</param>
    /// <param name="options">The hub's options.</param>
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
            throw Denied($"priority {request.Priority} is more than your token allows: ask for at most "
                + $"{identity.MaxPriority}");
        }

        if (Perspective(identity, request.HasPerspective ? request.Perspective : null, options.SidesApart) is { } own)
        {
            request.Perspective = own;
        }
    }

    /// <summary>The perspective that a client may see: its own side, or the requested perspective.</summary>
    /// <param name="identity">The client.</param>
    /// <param name="asked">The requested perspective; null if the client did not choose.</param>
    /// <param name="apart">Whether sides are kept apart. If so, a client without a token may see no perspective.</param>
    /// <returns>Null if the client did not choose and may see any perspective.</returns>
    /// <exception cref="RequestRefusedException">UNAUTHENTICATED, PERMISSION_DENIED.</exception>
    public static uint? Perspective(Identity identity, uint? asked, bool apart)
    {
        if (apart && identity == Identity.Anonymous)
        {
            throw CountRefusal("token", new RequestRefusedException(
                StatusCode.Unauthenticated,
                "the sides of this match are kept apart: send the token of your side (agents read it from SC2BRIDGE_TOKEN); "
                + "--open-perspectives lets every subscriber see every side"));
        }

        return identity.Side is null || asked is null || asked == identity.Side
            ? identity.Side ?? asked
            : throw Denied($"you may not see perspective {asked}: your token is player {identity.Side}'s");
    }

    private static string NameOf(Roles roles) => $"{roles}".ToLowerInvariant();

    private static RequestRefusedException Denied(string why) =>
        CountRefusal("role", new RequestRefusedException(StatusCode.PermissionDenied, why));

    private static RequestRefusedException CountRefusal(string reason, RequestRefusedException refused)
    {
        new Refusal(reason, refused.Message).AddToMetrics();
        return refused;
    }
}
