using Sc2Bridge.V1;

namespace Sc2Bridge.Streaming;

/// <summary>Errors for agents that do what they may not, or fall behind.</summary>
internal static class Errors
{
    /// <summary>An error event that nothing follows.</summary>
    public static PlayResponse Fatal(uint code, string message, ulong? step = null) => Make(code, message, step, fatal: true);

    /// <summary>The bridge stops: for new, waiting and running calls.</summary>
    public static RequestRefusedException Stopping() =>
        new(StatusCode.Unavailable, "the bridge stops: connect again when it runs");

    /// <summary>The client's token was valid until now.</summary>
    public static RequestRefusedException TokenExpired() =>
        new(StatusCode.Unauthenticated, "your token has expired: ask who runs the bridge for another");

    /// <summary>An answer to a step that was not sent; the newest that was, or null.</summary>
    public static PlayResponse EarlyAnswer(ulong step, ulong? newest) => Notice(
        StatusCode.InvalidArgument,
        $"step {step} was acknowledged before it was sent: "
        + (newest is { } known ? $"the newest step is {known}" : "no step has been sent yet"),
        step);

    /// <summary>An answer that came after the deadline.</summary>
    public static PlayResponse LateAnswer(ulong step) => Notice(
        StatusCode.DeadlineExceeded,
        $"the answer to step {step} came too late: the match went on without it", step);

    /// <summary>Times of a step that was not sent, or reported before.</summary>
    public static PlayResponse BadTimes(ulong step, bool known) => Notice(
        StatusCode.InvalidArgument,
        $"the times of step {step} were reported before{(known ? "" : " it was sent")}: they are not kept", step);

    /// <summary>Actions of an agent that only watches.</summary>
    public static RequestRefusedException WatchesOnly(string name) => new(
        StatusCode.FailedPrecondition, $"'{name}' only watches: subscribe with can_act to send actions");

    /// <summary>Actions or a request of an agent whose subscription is over.</summary>
    public static string HasEnded(string name) =>
        $"the subscription of '{name}' has ended: subscribe again to act or to ask the game";

    /// <summary>More messages than any agent needs.</summary>
    public static RequestRefusedException TooManyMessages() => new(
        StatusCode.ResourceExhausted,
        $"more than {MessageRateLimiter.Burst} messages upon a frame, and {MessageRateLimiter.PerSecond} a second, were "
        + "sent: a step takes an acknowledgement, and its actions together");

    /// <summary>The last deadline that it may miss has passed.</summary>
    public static string TooLate(HubOptions options) =>
        $"{options.MostMissedDeadlines} deadlines of {options.LockstepDeadline.TotalSeconds:0.###} s have passed "
        + "without an answer: answer faster, ask for more time, or subscribe with POLICY_LATEST";

    /// <summary>It plays, and has been silent for too long.</summary>
    public static string TooSilent(HubOptions options, bool answers)
    {
        var (nothing, remedy) = answers ? ("said nothing", "answer faster") : ("taken no frame", "read on");
        return $"it plays and has {nothing} for {options.AgentTimeout.TotalSeconds:0.###} s, though frames came for "
            + $"it: {remedy}, or ask for more time (--agent-timeout)";
    }

    /// <summary>It acts and does not read.</summary>
    public static string UnreadResults() =>
        $"actions are sent and their outcomes are not read: more than {DeliveryQueue.MostOutcomeBytes} bytes "
        + "wait; read on while you act";

    /// <summary>Its full queue has held the game for as long as it may.</summary>
    public static string HeldTooLong(TimeSpan deadline) =>
        $"no frame was taken within {deadline.TotalSeconds:0.###} s, while a full queue held the game: "
        + "read on, ask for more time, or subscribe with POLICY_LATEST";

    /// <summary>Its queue is full, and the game does not wait.</summary>
    public static string TooFarBehind(string name, int frames, long bytes, long queueBytes) =>
        $"the subscriber '{name}' was {frames} frames ({bytes} bytes) behind, more than its queue of "
        + $"{queueBytes} bytes: read faster, subscribe with a larger queue_bytes, or use POLICY_LATEST";

    /// <summary>It holds the most of what the bridge may hold for all.</summary>
    public static string HoldsTooMuch(string name, int frames, long held, long ceiling) =>
        $"the subscriber '{name}' held {held >> 20} MiB of memory, {frames} frames, more than any other, when the bridge held "
        + $"the {ceiling >> 20} MiB that it may for all (--memory): read faster, use POLICY_LATEST, or give the bridge more";

    /// <summary>One subscriber more would leave too little memory for what they read.</summary>
    public static RequestRefusedException TooManyForMemory(long ceiling) => new(
        StatusCode.ResourceExhausted,
        $"The bridge has as many subscriptions as fit into the {ceiling >> 20} MiB that it may hold (--memory): end some, or give it more.");

    private static PlayResponse Notice(uint code, string message, ulong step) => Make(code, message, step, fatal: false);

    private static PlayResponse Make(uint code, string message, ulong? step, bool fatal)
    {
        var error = new Error { Code = code, Message = message, Fatal = fatal };
        if (step is { } known)
        {
            error.Step = known;
        }

        return new PlayResponse { Error = error };
    }
}
