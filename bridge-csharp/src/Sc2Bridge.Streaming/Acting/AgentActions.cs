using SC2APIProtocol;
using Sc2Bridge.V1;
using Kind = SC2APIProtocol.ActionRaw.ActionOneofCase;

namespace Sc2Bridge.Streaming.Acting;

/// <summary>One <c>Actions</c> message of an agent, from its arrival until its outcome is sent to the agent.</summary>
internal sealed class AgentActions(Subscription sender, uint perspective, Actions actions, int bytes, long requestedNs)
{
    public Subscription Sender { get; } = sender;

    /// <summary>The player whose units the actions command.</summary>
    public uint Perspective { get; } = perspective;

    /// <summary>The message as the agent sent it. Immutable.</summary>
    public Actions Sent { get; } = actions;

    /// <summary>The size of the serialized message, in bytes.</summary>
    public int Bytes { get; } = bytes;

    /// <summary>When the message arrived, in nanoseconds of <see cref="MonotonicClock"/>.</summary>
    public long RequestedNs { get; } = requestedNs;

    /// <summary>Whether the message counts against the agent's quota of waiting actions. False if it was refused at once.</summary>
    public bool IsInQuota { get; set; }

    /// <summary>The outcome, filled in as results arrive.</summary>
    public ActionsOutcome Outcome { get; } = new() { RequestId = actions.RequestId };

    /// <summary>Refuses the whole message.</summary>
    /// <param name="code">A gRPC status code.</param>
    /// <param name="message">The reason, and what to do instead.</param>
    /// <param name="step">The newest step.</param>
    public void Refuse(uint code, string message, ulong step)
    {
        Outcome.Step = step;
        Outcome.Outcomes.Clear();
        Outcome.Error = new Error { Code = code, Message = message };
    }

    /// <summary>Creates an outcome for each action, and refuses actions that the game would ignore.</summary>
    /// <param name="step">The newest step.</param>
    public void CreateOutcomes(ulong step)
    {
        Outcome.Step = step;
        Outcome.Outcomes.AddRange(Sent.Actions_.Select(action => new ActionOutcome { Refusal = RefusalReason(action) ?? "" }));
    }

    private static string? RefusalReason(SC2APIProtocol.Action action)
    {
        if (action.ActionRaw is { } raw)
        {
            return raw.ActionCase switch
            {
                Kind.None => "action_raw is empty: set unit_command, camera_move or toggle_autocast",
                Kind.UnitCommand when !IsFinite(raw.UnitCommand.TargetWorldSpacePos) =>
                    "target_world_space_pos is not a position: x and y must be finite numbers",
                Kind.CameraMove when raw.CameraMove.CenterWorldSpace is not { } center || !IsFinite(center) =>
                    "center_world_space is not a position: x and y must be finite numbers",
                _ => null,
            };
        }

        return action.ActionFeatureLayer is null && action.ActionRender is null && action.ActionUi is null
            && action.ActionChat is null
            ? "the action is empty: set one of action_raw, action_feature_layer, action_render, action_ui, action_chat"
            : null;
    }

    private static bool IsFinite(Point2D? point) => point is null || (float.IsFinite(point.X) && float.IsFinite(point.Y));

    private static bool IsFinite(Point point) => float.IsFinite(point.X) && float.IsFinite(point.Y);
}
