using Sc2Bridge.V1;

namespace Sc2Bridge.Streaming.Acting;

/// <summary>One <c>Actions</c> message of an agent, until the agent is sent its outcome.</summary>
internal sealed class AgentActions(Subscription sender, uint perspective, Actions actions, int bytes, long requestedNs)
{
    /// <summary>Who sent it.</summary>
    public Subscription Sender { get; } = sender;

    /// <summary>The player whose units they command.</summary>
    public uint Perspective { get; } = perspective;

    /// <summary>As the agent sent it; not changed.</summary>
    public Actions Sent { get; } = actions;

    /// <summary>Its serialized size.</summary>
    public int Bytes { get; } = bytes;

    /// <summary>When it was taken, in nanoseconds of <see cref="MonotonicClock"/>.</summary>
    public long RequestedNs { get; } = requestedNs;

    /// <summary>
    /// Whether it counts in its agent's quota of waiting actions; false where it was refused at once.
    /// </summary>
    public bool IsTaken { get; set; }

    /// <summary>Filled as it becomes known.</summary>
    public ActionsOutcome Result { get; } = new() { RequestId = actions.RequestId };

    /// <summary>Refuses all of it.</summary>
    /// <param name="code">A gRPC status code.</param>
    /// <param name="message">Why, and what to do instead.</param>
    /// <param name="step">The newest step.</param>
    public void Refuse(uint code, string message, ulong step)
    {
        Result.Step = step;
        Result.Outcomes.Clear();
        Result.Error = new Error { Code = code, Message = message };
    }
}
