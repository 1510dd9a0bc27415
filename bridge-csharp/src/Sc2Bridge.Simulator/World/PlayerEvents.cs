using SC2APIProtocol;

namespace Sc2Bridge.Simulator.World;

/// <summary>
/// The events since a viewer's last observation. If a client skips an observation, it loses the events, as in the game.
/// Each player has one list, and each observer.
/// </summary>
internal sealed class PlayerEvents
{
    /// <summary>Creates an empty list.</summary>
    public PlayerEvents()
    {
    }

    /// <summary>Copies another list.</summary>
    public PlayerEvents(PlayerEvents other)
    {
        Dead.AddRange(other.Dead);
        Alerts.AddRange(other.Alerts);
        Actions.AddRange(other.Actions);
        Errors.AddRange(other.Errors);
        Chat.AddRange(other.Chat);
    }

    /// <summary>Tags of units that died in the viewer's sight.</summary>
    public List<ulong> Dead { get; } = [];

    /// <summary>Alerts, each at most once.</summary>
    public List<Alert> Alerts { get; } = [];

    /// <summary>Actions that were carried out.</summary>
    public List<SC2APIProtocol.Action> Actions { get; } = [];

    /// <summary>Actions that failed after they were accepted.</summary>
    public List<ActionError> Errors { get; } = [];

    /// <summary>Chat messages.</summary>
    public List<(int Player, string Message)> Chat { get; } = [];

    /// <summary>Adds an alert, unless it is already in the list.</summary>
    public void Raise(Alert alert)
    {
        if (!Alerts.Contains(alert))
        {
            Alerts.Add(alert);
        }
    }

    /// <summary>Removes all events, after they were observed.</summary>
    public void Clear()
    {
        Dead.Clear();
        Alerts.Clear();
        Actions.Clear();
        Errors.Clear();
        Chat.Clear();
    }
}
