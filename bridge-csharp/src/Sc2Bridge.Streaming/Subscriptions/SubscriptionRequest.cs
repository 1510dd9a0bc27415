using Sc2Bridge.V1;

namespace Sc2Bridge.Streaming;

/// <summary>Checks a subscriber's request.</summary>
public static class SubscriptionRequest
{
    /// <summary>The longest name of an agent, in characters.</summary>
    internal const int LongestName = 64;

    /// <summary>Checks a request, and fills in values that the client did not choose.</summary>
    /// <returns>A copy that belongs to the caller.</returns>
    /// <exception cref="RequestRefusedException">
    /// INVALID_ARGUMENT: the request is invalid for any match. UNAUTHENTICATED, PERMISSION_DENIED: the client may not subscribe
    /// like this.
    /// </exception>
    internal static V1.SubscribeRequest Admit(V1.SubscribeRequest request, SubscriberInfo info, HubOptions options)
    {
        Check(request, options);
        var admitted = request.Clone();
        if (!info.Internal)
        {
            Permissions.Admit(admitted, info.IdentityOrAnonymous, options);
        }

        return admitted;
    }

    /// <summary>Checks the parts of a request that do not depend on the match.</summary>
    /// <exception cref="RequestRefusedException">INVALID_ARGUMENT: a field is invalid. The message names the field and its valid values.</exception>
    internal static void Check(V1.SubscribeRequest request, HubOptions options)
    {
        var problem = request switch
        {
            _ when !Enum.IsDefined(request.Policy) =>
                $"policy {(int)request.Policy} is unknown: use 1 (lockstep), 2 (latest) or 3 (every)",
            _ when !Enum.IsDefined(request.Overflow) => $"overflow {(int)request.Overflow} is unknown: use 1 (pause) or 2 (end)",
            _ when !Enum.IsDefined(request.Content) => $"content {(int)request.Content} is unknown: use 1 (observation) or 2 (columns)",
            _ when !Enum.IsDefined(request.Compression) =>
                $"compression {(int)request.Compression} is unknown: use 1 (none), 2 (zstd) or 3 (group zstd)",
            _ when request.QueueBytes > (ulong)options.LongestQueueBytes =>
                $"queue_bytes {request.QueueBytes} is too large: ask for at most {options.LongestQueueBytes}, or 0 for the bridge's default",
            _ when request.Agent.Length > LongestName =>
                $"the agent's name has {request.Agent.Length} characters: use at most {LongestName}",
            _ when !PlainText.IsPlain(request.Agent) => "the agent's name contains a control character: use printable characters only",
            _ => null,
        };
        if (problem is not null)
        {
            throw Invalid(problem);
        }

        // This call only checks the excluded parts: a later failure would not free the subscription's name and session.
        Excluded(request);
    }

    /// <summary>The excluded parts as a set.</summary>
    /// <exception cref="RequestRefusedException">INVALID_ARGUMENT: a part is unknown.</exception>
    public static PartSet Excluded(V1.SubscribeRequest request)
    {
        ArgumentNullException.ThrowIfNull(request);
        var parts = PartSet.None;
        foreach (var part in request.Exclude)
        {
            if (part == Part.Unspecified || !Enum.IsDefined(part))
            {
                throw Invalid(
                    $"part {(int)part} in exclude is unknown: use 1 (abilities), 2 (score), 3 (raw), 4 (map state), "
                    + "5 (feature layers), 6 (render) or 7 (UI)");
            }

            parts |= (PartSet)(1 << (int)part);
        }

        return parts;
    }

    /// <summary>Why the request does not fit the running match, or names a match that has ended; null if the request is valid.</summary>
    internal static RequestRefusedException? Refusal(
        V1.SubscribeRequest request, MatchDescription? running, MatchDescription? ended) =>
        running is not null ? Mismatch(request, running)
        : ended?.MatchId == request.MatchId
            ? new RequestRefusedException(
                StatusCode.NotFound, $"match '{request.MatchId}' has ended (leave match empty for the next one)")
        : null;

    /// <summary>Why the request does not fit this match; null if it fits.</summary>
    internal static RequestRefusedException? Mismatch(V1.SubscribeRequest request, MatchDescription description)
    {
        if (UnknownMatch(request.MatchId, description) is { } unknown)
        {
            return unknown;
        }

        if (request.HasPerspective && !description.Perspectives.Contains(request.Perspective))
        {
            return NotOffered(request.Perspective, description);
        }

        if (request.CanAct && Unplayable(request, description) is { } unplayable)
        {
            return unplayable;
        }

        var every = request.Policy is Policy.Every or Policy.Unspecified;
        return every && request.Overflow == Overflow.Pause && description.Realtime
            ? new RequestRefusedException(
                StatusCode.FailedPrecondition,
                "nothing can pause a game in real time: use overflow OVERFLOW_END, or POLICY_LATEST")
            : null;
    }

    /// <summary>NOT_FOUND if the request names a match other than the described match; otherwise null.</summary>
    internal static RequestRefusedException? UnknownMatch(string match, MatchDescription description) =>
        match.Length == 0 || match == description.MatchId
            ? null
            : new RequestRefusedException(
                StatusCode.NotFound,
                $"match '{match}' does not run, '{description.MatchId}' does: leave match empty for the running match");

    /// <summary>INVALID_ARGUMENT: the match does not have this perspective.</summary>
    internal static RequestRefusedException NotOffered(uint perspective, MatchDescription description) => Invalid(
        $"perspective {perspective} is not offered: match '{description.MatchId}' has "
        + string.Join(", ", description.Perspectives));

    /// <summary>
    /// The perspective of a subscription: the requested perspective. If none is requested, a subscriber that plays gets the
    /// first perspective of an agent's side, and any other subscriber gets the match's first perspective.
    /// </summary>
    internal static uint Perspective(V1.SubscribeRequest request, MatchDescription description)
    {
        if (request.HasPerspective)
        {
            return request.Perspective;
        }

        var played = description.Players.Where(player => player.Kind == PlayerKind.Agent).Select(player => player.PlayerId);
        var first = description.Perspectives.FirstOrDefault();
        return request.CanAct ? description.Perspectives.Intersect(played).FirstOrDefault(first) : first;
    }

    private static RequestRefusedException? Unplayable(V1.SubscribeRequest request, MatchDescription description)
    {
        if (description.Recording.Length > 0 || description.Relay.Length > 0)
        {
            return new RequestRefusedException(
                StatusCode.FailedPrecondition,
                "no agent can play a recorded or relayed match: leave out can_act to watch");
        }

        var perspective = Perspective(request, description);
        var side = description.Players.FirstOrDefault(player => player.PlayerId == perspective);
        return side?.Kind == PlayerKind.Agent
            ? null
            : new RequestRefusedException(
                StatusCode.FailedPrecondition,
                $"no agent plays here: perspective {perspective} is "
                + (side is null ? "an observer's" : $"a player's of the kind '{side.Kind.Words()}'")
                + "; leave out can_act to watch, or start the match with --player agent:RACE");
    }

    private static RequestRefusedException Invalid(string message) => new(StatusCode.InvalidArgument, message);
}
