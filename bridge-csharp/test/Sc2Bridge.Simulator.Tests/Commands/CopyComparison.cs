using System.Collections;
using System.Reflection;
using Google.Protobuf;
using Sc2Bridge.Simulator.Commands;
using Sc2Bridge.Simulator.Computers;
using Sc2Bridge.Simulator.Maps;
using PlayerSpec = Sc2Bridge.Simulator.World.PlayerSpec;

namespace Sc2Bridge.Simulator.Tests.Commands;

/// <summary>
/// Compares all fields of an object and its copy, and of all objects that these refer to. So a field that a later change adds cannot be
/// forgotten in a copy.
/// </summary>
internal sealed class CopyComparison
{
    // Objects that never change. Copies must share them.
    private static readonly Type[] Shared =
    [
        typeof(GameMap), typeof(UnitType), typeof(Ability), typeof(GameSetup), typeof(PlayerSpec), typeof(Spell), typeof(Plan), typeof(Skill),
        typeof(CreepGrowth), typeof(IMessage), typeof(DistanceFields), typeof(string),
    ];

    // Working memory, which has no content between two loops. Copies must not share it.
    private static readonly string[] Scratch =
    [
        "Crowd._first", "Crowd._next", "Crowd._units", "Crowd._cells", "Crowd._sorts", "PathFinder._cost", "PathFinder._from",
        "PathFinder._search", "PathFinder._searches", "PathFinder._heap", "PathFinder._cells", "PathFinder._heapCount", "Vision._detectors",
    ];

    private readonly Dictionary<object, object> _pairs = new(ReferenceEqualityComparer.Instance);
    private readonly Queue<(object? Original, object? Copy, string Path, bool IsScratch)> _open = [];

    /// <summary>The paths of the differences, and of the objects that are shared but may not be.</summary>
    public List<string> Findings { get; } = [];

    /// <summary>The number of compared objects.</summary>
    public int Count => _pairs.Count;

    public static CopyComparison Of(object original, object copy)
    {
        var comparison = new CopyComparison();
        comparison._open.Enqueue((original, copy, original.GetType().Name, false));
        while (comparison._open.TryDequeue(out var next))
        {
            comparison.Compare(next.Original, next.Copy, next.Path, next.IsScratch);
        }

        return comparison;
    }

    private void Compare(object? original, object? copy, string path, bool isScratch)
    {
        if (original is null || copy is null || original.GetType() != copy.GetType())
        {
            Check(ReferenceEquals(original, copy), path);
            return;
        }

        var type = original.GetType();
        if (type.IsPrimitive || type.IsEnum || type == typeof(string))
        {
            Check(isScratch || original.Equals(copy), path);
        }
        else if (type.IsValueType)
        {
            CompareFields(original, copy, type, path);
        }
        else if (Array.Exists(Shared, shared => shared.IsAssignableFrom(type)))
        {
            Check(ReferenceEquals(original, copy), path + " is not shared");
        }
        else if (original is Array { Length: 0 } && ReferenceEquals(original, copy))
        {
            // An empty array never changes.
        }
        else if (_pairs.TryGetValue(original, out var before))
        {
            Check(ReferenceEquals(before, copy), path + " refers to another copy");
        }
        else
        {
            _pairs.Add(original, copy);
            Check(!ReferenceEquals(original, copy), path + " is shared");
            if (isScratch)
            {
                return;
            }

            if (type.IsArray || type.Namespace == "System.Collections.Generic")
            {
                var (items, others) = (((IEnumerable)original).Cast<object?>().ToArray(), ((IEnumerable)copy).Cast<object?>().ToArray());
                Check(items.Length == others.Length, path + ".Count");
                foreach (var (item, other) in items.Zip(others))
                {
                    _open.Enqueue((item, other, path + "[]", false));
                }
            }
            else
            {
                CompareFields(original, copy, type, path);
            }
        }
    }

    private void CompareFields(object original, object copy, Type type, string path)
    {
        for (var of = type; of is not null && of != typeof(object); of = of.BaseType)
        {
            foreach (var field in of.GetFields(BindingFlags.Instance | BindingFlags.Public | BindingFlags.NonPublic | BindingFlags.DeclaredOnly))
            {
                var isImmutable = field.FieldType.Name.StartsWith("ImmutableArray", StringComparison.Ordinal);
                if (isImmutable)
                {
                    Check(field.GetValue(original)!.Equals(field.GetValue(copy)), $"{path}.{field.Name}");
                    continue;
                }

                _open.Enqueue((
                    field.GetValue(original), field.GetValue(copy), $"{path}.{field.Name}", Scratch.Contains($"{of.Name}.{field.Name}")));
            }
        }
    }

    private void Check(bool holds, string path)
    {
        if (!holds && Findings.Count < 20)
        {
            Findings.Add(path);
        }
    }
}
