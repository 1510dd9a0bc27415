using SC2APIProtocol;

namespace Sc2Bridge.Simulator.World;

/// <summary>
/// What happened since one viewer's last observation: an observation that is skipped loses it, as in the game. Every
/// player has one, and each observer.
/// </summary>
internal sealed class PlayerEvents
{
    /// <summary>No events.</summary>
    public PlayerEvents()
    {
    }

    /// <summary>A copy.</summary>
    public PlayerEvents(PlayerEvents other) => Replace(other);

    /// <summary>Tags of units that died in its sight.</summary>
    public List<ulong> Dead { get; } = [];

    /// <summary>Alerts, each at most once.</summary>
    public List<Alert> Alerts { get; } = [];

    /// <summary>Actions that were carried out.</summary>
    public List<SC2APIProtocol.Action> Actions { get; } = [];

    /// <summary>Actions that failed late.</summary>
    public List<ActionError> Errors { get; } = [];

    /// <summary>What players said.</summary>
    public List<(int Player, string Message)> Chat { get; } = [];

    /// <summary>Notes an alert, once.</summary>
    public void Raise(Alert alert)
    {
        if (!Alerts.Contains(alert))
        {
            Alerts.Add(alert);
        }
    }

    /// <summary>Makes the events the same as others.</summary>
    public void Replace(PlayerEvents other)
    {
        Clear();
        Dead.AddRange(other.Dead);
        Alerts.AddRange(other.Alerts);
        Actions.AddRange(other.Actions);
        Errors.AddRange(other.Errors);
        Chat.AddRange(other.Chat);
    }

    /// <summary>Forgets everything: it has been observed.</summary>
    public void Clear()
    {
        Dead.Clear();
        Alerts.Clear();
        Actions.Clear();
        Errors.Clear();
        Chat.Clear();
    }
}
