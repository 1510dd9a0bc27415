using Sc2Bridge.V1;

namespace Sc2Bridge.Streaming;

/// <summary>Errors for agents that break a rule or fall behind.</summary>
internal static class Errors
{
    /// <summary>An error event that ends the subscription.</summary>
    public static PlayResponse Fatal(uint code, string message, ulong? step = null) => Make(code, message, step, fatal: true);

    /// <summary>The bridge stops, so new calls are refused, and waiting and running calls end.</summary>
    public static RequestRefusedException Stopping() =>
        new(StatusCode.Unavailable, "the bridge stops: connect again when it runs");

    /// <summary>The client's token has expired.</summary>
    public static RequestRefusedException TokenExpired() =>
        new(StatusCode.Unauthenticated, "your token has expired: ask the person who runs the bridge for a new one");

    /// <summary>An acknowledgement of a step that was not sent yet. <paramref name="newest"/> is null if no step was sent yet.</summary>
    public static PlayResponse EarlyAcknowledgement(ulong step, ulong? newest) => Notice(
        StatusCode.InvalidArgument,
        $"step {step} was acknowledged, but it was not sent yet: "
        + (newest is { } known ? $"acknowledge step {known}, the newest" : "wait for the first step"),
        step);

    /// <summary>An acknowledgement after the deadline.</summary>
    public static PlayResponse LateAcknowledgement(ulong step) => Notice(
        StatusCode.DeadlineExceeded,
        $"step {step} was acknowledged after its deadline, and the match did not wait for it: answer faster, or ask for more time", step);

    /// <summary>Times of a step that was not sent, or times that the agent has already reported.</summary>
    public static PlayResponse BadTimes(ulong step, bool known) => Notice(
        StatusCode.InvalidArgument,
        $"the times of step {step} were reported {(known ? "twice" : "before this step was sent")}: report them once, after the step", step);

    /// <summary>Actions of an agent that only watches.</summary>
    public static RequestRefusedException WatchesOnly(string name) => new(
        StatusCode.FailedPrecondition, $"'{name}' only watches: subscribe with can_act to send actions");

    /// <summary>Actions or a request of an agent whose subscription has ended.</summary>
    public static string SubscriptionEnded(string name) =>
        $"the subscription of '{name}' has ended: subscribe again to act or to ask the game";

    /// <summary>An agent sends too many messages.</summary>
    public static RequestRefusedException TooManyMessages() => new(
        StatusCode.ResourceExhausted,
        $"more than {MessageRateLimiter.Burst} messages after a frame, and then {MessageRateLimiter.PerSecond} a second, were "
        + "sent: send one acknowledgement for each step, with all its actions");

    /// <summary>A lockstep agent has missed too many deadlines.</summary>
    public static string TooLate(HubOptions options) =>
        $"{options.MostMissedDeadlines} deadlines of {options.LockstepDeadline.TotalSeconds:0.###} s have passed "
        + "without an answer: answer faster, ask for more time, or subscribe with POLICY_LATEST";

    /// <summary>An agent that plays was silent for too long.</summary>
    public static string TooSilent(HubOptions options, bool hasAcknowledged)
    {
        var (nothing, remedy) = hasAcknowledged ? ("sent nothing", "answer faster") : ("taken no frame", "read frames");
        return $"it plays and has {nothing} for {options.AgentTimeout.TotalSeconds:0.###} s, although frames "
            + $"were sent: {remedy}, or ask for more time (--agent-timeout)";
    }

    /// <summary>An agent sends actions and does not read their outcomes.</summary>
    public static string UnreadOutcomes() =>
        $"more than {DeliveryQueue.MostOutcomeBytes} bytes of outcomes wait, because the agent sends actions and does not read: "
        + "read frames while you act";

    /// <summary>A subscriber's full queue has paused the game for too long.</summary>
    public static string PausedTooLong(TimeSpan deadline) =>
        $"no frame was taken within {deadline.TotalSeconds:0.###} s, while a full queue paused the game: "
        + "read faster, ask for more time, or subscribe with POLICY_LATEST";

    /// <summary>A subscriber's queue is full, and the game does not wait.</summary>
    public static string TooFarBehind(string name, int frames, long bytes, long queueBytes) =>
        $"the subscriber '{name}' was {frames} frames ({bytes} bytes) behind, more than the limit of its queue, "
        + $"{queueBytes} bytes: read faster, subscribe with a larger queue_bytes, or use POLICY_LATEST";

    /// <summary>A subscriber uses the most memory when the memory limit is reached.</summary>
    public static string UsesTooMuchMemory(string name, int frames, long heldBytes, long ceilingBytes) =>
        $"the subscriber '{name}' held {heldBytes >> 20} MiB of memory, {frames} frames, more than any other subscriber, when the bridge reached "
        + $"its limit of {ceilingBytes >> 20} MiB (--memory): read faster, use POLICY_LATEST, or raise the limit";

    /// <summary>A further subscription would leave too little memory for frames.</summary>
    public static RequestRefusedException TooManyForMemory(long ceilingBytes) => new(
        StatusCode.ResourceExhausted,
        $"The bridge has as many subscriptions as its memory limit of {ceilingBytes >> 20} MiB (--memory) allows: end some subscriptions, or raise the limit.");

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
