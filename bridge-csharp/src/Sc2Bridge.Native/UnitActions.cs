using SC2APIProtocol;
using Sc2Bridge.Simulator.Observing;

namespace Sc2Bridge.Native;

/// <summary>
/// The choices of each own row, and the orders that perform them, like Python's <c>sc2bridge.gym.actions.UnitActions</c>. Precision
/// and order of each operation are numpy's.
/// </summary>
internal sealed class UnitActions(GameConstants constants, PathingGrid grid, int choiceCount)
{
    public const int FirstTarget = 6;
    private const int NoOp = 0;
    private const int StopChoice = 1;
    private const int FirstMove = 2;

    private static readonly (int X, int Y)[] Moves = [(0, 2), (0, -2), (2, 0), (-2, 0)];

    /// <summary>Writes which choices each own row has.</summary>
    /// <param name="units">The units of the newest observation.</param>
    /// <param name="slots">Their rows.</param>
    /// <param name="mask">1 or 0 for each own row and choice.</param>
    public void WriteMask(ReadOnlySpan<ObservedUnit> units, SlotRows slots, Span<sbyte> mask)
    {
        mask.Clear();
        for (var row = 0; row < slots.Own.Length; row++)
        {
            var choices = mask.Slice(row * choiceCount, choiceCount);
            if (slots.Own[row] < 0)
            {
                choices[NoOp] = 1;
                continue;
            }

            ref readonly var unit = ref units[slots.Own[row]];
            choices[StopChoice] = 1;
            WriteMoves(unit, choices);
            if (unit.Type == constants.Healer)
            {
                WriteHeals(units, slots.Own, row, choices);
            }
            else
            {
                WriteAttacks(units, slots.Enemies, unit, choices);
            }
        }
    }

    /// <summary>Adds the orders of an action.</summary>
    /// <param name="numbers">The choice of each own row, each below the number of choices.</param>
    /// <param name="units">The units of the newest observation.</param>
    /// <param name="slots">Their rows.</param>
    /// <param name="request">Receives an action for each unit that acts.</param>
    public void AddOrders(ReadOnlySpan<long> numbers, ReadOnlySpan<ObservedUnit> units, SlotRows slots, RequestAction request)
    {
        for (var row = 0; row < slots.Own.Length; row++)
        {
            if (slots.Own[row] < 0 || numbers[row] == NoOp)
            {
                continue;
            }

            ref readonly var unit = ref units[slots.Own[row]];
            var order = new ActionRawUnitCommand { UnitTags = { unit.Tag } };
            var number = (int)numbers[row];
            if (number == StopChoice)
            {
                order.AbilityId = constants.Stop;
            }
            else if (number < FirstTarget)
            {
                var (x, y) = Moves[number - FirstMove];
                order.AbilityId = constants.Move;
                order.TargetWorldSpacePos = new Point2D { X = unit.X + x, Y = unit.Y + y };
            }
            else
            {
                var heals = unit.Type == constants.Healer;
                var target = TargetOf(number - FirstTarget, heals ? slots.Own : slots.Enemies, heals ? row : int.MaxValue);
                if (target < 0)
                {
                    continue;
                }

                order.AbilityId = heals ? constants.Heal : constants.Attack;
                order.TargetUnitTag = units[target].Tag;
            }

            request.Actions.Add(new SC2APIProtocol.Action { ActionRaw = new ActionRaw { UnitCommand = order } });
        }
    }

    // The count of targets skips the row of the healer itself.
    private static int TargetOf(int target, ReadOnlySpan<int> rows, int skipped)
    {
        target += target >= skipped ? 1 : 0;
        return target < rows.Length ? rows[target] : -1;
    }

    private void WriteMoves(in ObservedUnit unit, Span<sbyte> choices)
    {
        var x = (int)Math.Min(Math.Max(unit.X, 0), grid.Width - 1);
        var y = (int)Math.Min(Math.Max(unit.Y, 0), grid.Height - 1);
        for (var move = 0; move < Moves.Length; move++)
        {
            choices[FirstMove + move] = grid.IsOpen(x + Moves[move].X, y + Moves[move].Y, unit.IsFlying) ? (sbyte)1 : (sbyte)0;
        }
    }

    private void WriteAttacks(ReadOnlySpan<ObservedUnit> units, ReadOnlySpan<int> enemies, in ObservedUnit unit, Span<sbyte> choices)
    {
        for (var row = 0; row < enemies.Length; row++)
        {
            if (enemies[row] < 0)
            {
                continue;
            }

            ref readonly var enemy = ref units[enemies[row]];
            double dx = unit.X - enemy.X;
            double dy = unit.Y - enemy.Y;
            // hypotf of the C library: the sum of squares is computed in double precision.
            var apart = (float)Math.Sqrt((dx * dx) + (dy * dy));
            var reach = constants.RangeOf(unit.Type, enemy.IsFlying) + enemy.Radius + unit.Radius;
            choices[FirstTarget + row] = apart <= reach ? (sbyte)1 : (sbyte)0;
        }
    }

    private static void WriteHeals(ReadOnlySpan<ObservedUnit> units, ReadOnlySpan<int> own, int healer, Span<sbyte> choices)
    {
        for (var row = 0; row < own.Length; row++)
        {
            if (row != healer && own[row] >= 0)
            {
                ref readonly var other = ref units[own[row]];
                var isHurt = other.Health < other.HealthMax && !other.IsFlying;
                choices[FirstTarget + row - (row > healer ? 1 : 0)] = isHurt ? (sbyte)1 : (sbyte)0;
            }
        }
    }
}
