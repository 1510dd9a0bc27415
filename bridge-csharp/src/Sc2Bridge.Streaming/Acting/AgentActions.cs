using SC2APIProtocol;
using Sc2Bridge.V1;
using Kind = SC2APIProtocol.ActionRaw.ActionOneofCase;

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
    /// Whether it counts in its agent's quota of waiting actions; false if it was refused at once.
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

    /// <summary>Makes an outcome for each action, and refuses actions that the game would ignore.</summary>
    /// <param name="step">The newest step.</param>
    public void Check(ulong step)
    {
        Result.Step = step;
        Result.Outcomes.AddRange(Sent.Actions_.Select(action => new ActionOutcome { Refusal = Refusal(action) ?? "" }));
    }

    private static string? Refusal(SC2APIProtocol.Action action)
    {
        if (action.ActionRaw is { } raw)
        {
            return raw.ActionCase switch
            {
                Kind.None => "action_raw says nothing: set unit_command, camera_move or toggle_autocast",
                Kind.UnitCommand when !IsPlace(raw.UnitCommand.TargetWorldSpacePos) =>
                    "target_world_space_pos is no place: x and y are to be finite numbers",
                Kind.CameraMove when raw.CameraMove.CenterWorldSpace is not { } center || !IsPlace(center) =>
                    "center_world_space is no place: x and y are to be finite numbers",
                _ => null,
            };
        }

        return action.ActionFeatureLayer is null && action.ActionRender is null && action.ActionUi is null
            && action.ActionChat is null
            ? "the action says nothing: set one of action_raw, action_feature_layer, action_render, action_ui, action_chat"
            : null;
    }

    private static bool IsPlace(Point2D? place) => place is null || (float.IsFinite(place.X) && float.IsFinite(place.Y));

    private static bool IsPlace(Point place) => float.IsFinite(place.X) && float.IsFinite(place.Y);
}
