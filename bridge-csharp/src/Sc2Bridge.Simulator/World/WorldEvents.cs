using SC2APIProtocol;

namespace Sc2Bridge.Simulator.World;

/// <summary>
/// What happened since the last observation took it: an observation that is skipped loses it, as in the game.
/// </summary>
internal sealed class WorldEvents
{
    /// <summary>Tags of units that died.</summary>
    public List<ulong> Dead { get; } = [];

    /// <summary>Alerts, each at most once.</summary>
    public List<(int Player, Alert Alert)> Alerts { get; } = [];

    /// <summary>What players gave as orders.</summary>
    public List<(int Player, SC2APIProtocol.Action Action)> Actions { get; } = [];

    /// <summary>What players said.</summary>
    public List<(int Player, string Message)> Chat { get; } = [];

    /// <summary>Notes an alert, once.</summary>
    /// <param name="player">Whom it alerts.</param>
    /// <param name="alert">Which.</param>
    public void Raise(int player, Alert alert)
    {
        if (!Alerts.Contains((player, alert)))
        {
            Alerts.Add((player, alert));
        }
    }

    /// <summary>Forgets everything: it has been observed.</summary>
    public void Clear()
    {
        Dead.Clear();
        Alerts.Clear();
        Actions.Clear();
        Chat.Clear();
    }
}
