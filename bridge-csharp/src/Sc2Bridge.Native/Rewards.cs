using SC2APIProtocol;
using Sc2Bridge.Simulator.Observing;

namespace Sc2Bridge.Native;

/// <summary>The names of rewards in Python's <c>sc2bridge.gym.rewards</c>.</summary>
internal enum RewardKind
{
    Result,
    Score,
    Fight,
}

/// <summary>Computes the rewards of one match, like Python's <c>sc2bridge.gym.rewards</c>. Not thread-safe.</summary>
internal sealed class Rewards(RewardKind kind)
{
    private const double Death = 10;
    private const double Victory = 200;
    private const double Scale = 20;

    private readonly Dictionary<ulong, double> _left = [];
    private double _factor;

    /// <summary>Prepares for a new match.</summary>
    public void Begin(ObservedState first)
    {
        // Maxima are whole numbers, so the sum does not depend on the order of numpy's sum in single precision.
        var (points, count) = (0f, 0);
        foreach (ref readonly var unit in first.Units)
        {
            if (unit.Alliance == Alliance.Enemy)
            {
                points += unit.HealthMax + unit.ShieldMax;
                count++;
            }
        }

        _factor = Scale / (points + (Death * count) + Victory);
    }

    /// <summary>The reward of the step between two observations.</summary>
    public double Compute(ObservedState before, ObservedState after) => kind switch
    {
        RewardKind.Fight => ComputeFight(before, after),
        RewardKind.Score => after.Score - before.Score,
        _ => after.Result switch { Result.Victory => 1, Result.Defeat => -1, _ => 0 },
    };

    private double ComputeFight(ObservedState before, ObservedState after)
    {
        _left.Clear();
        foreach (ref readonly var unit in after.Units)
        {
            if (unit.Alliance == Alliance.Enemy)
            {
                _left[unit.Tag] = unit.Points;
            }
        }

        var reward = after.Result == Result.Victory ? Victory : 0;
        foreach (ref readonly var unit in before.Units)
        {
            if (unit.Alliance != Alliance.Enemy)
            {
                continue;
            }

            if (_left.TryGetValue(unit.Tag, out var left))
            {
                reward += unit.Points - left;
            }
            else if (after.Dead.Contains(unit.Tag))
            {
                reward += unit.Points + Death;
            }
        }

        return Math.Abs(reward) * _factor;
    }
}
