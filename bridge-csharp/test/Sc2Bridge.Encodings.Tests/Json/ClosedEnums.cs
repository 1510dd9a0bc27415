using System.Collections;
using System.Collections.Concurrent;
using System.Globalization;

namespace Sc2Bridge.Encodings.Tests.Json;

/// <summary>
/// Finds numbers of closed (proto2) enums that their contract does not name. C# keeps them as if the enum were open;
/// other libraries keep them out of the message, and refuse them in JSON.
/// </summary>
internal static class ClosedEnums
{
    private static readonly ConcurrentDictionary<MessageDescriptor, Plan> Plans = new();

    /// <summary>The message itself if it has no such numbers, otherwise a copy without them.</summary>
    public static IMessage WithoutUnknown(IMessage message)
    {
        if (!Visit(message, remove: false))
        {
            return message;
        }

        // Parsed again instead of cloned: the static type does not offer a clone.
        var copy = message.Descriptor.Parser.ParseFrom(message.ToByteString());
        Visit(copy, remove: true);
        return copy;
    }

    // Whether such a number exists. Without `remove`, it stops at the first one.
    private static bool Visit(IMessage message, bool remove)
    {
        var plan = PlanOf(message.Descriptor);
        var found = false;
        foreach (var (field, known) in plan.Enums)
        {
            found |= VisitEnum(message, field, known, remove);
            if (found && !remove)
            {
                return true;
            }
        }

        foreach (var field in plan.Messages)
        {
            if (field.IsRepeated)
            {
                foreach (IMessage? item in (IList)field.Accessor.GetValue(message))
                {
                    found |= item is not null && Visit(item, remove);
                    if (found && !remove)
                    {
                        return true;
                    }
                }
            }
            else if (field.Accessor.GetValue(message) is IMessage inner)
            {
                found |= Visit(inner, remove);
            }

            if (found && !remove)
            {
                return true;
            }
        }

        return found;
    }

    private static bool VisitEnum(IMessage message, FieldDescriptor field, HashSet<int> known, bool remove)
    {
        if (!field.IsRepeated)
        {
            var unknown = field.Accessor.HasValue(message) && !known.Contains(Number(field.Accessor.GetValue(message)));
            if (unknown && remove)
            {
                field.Accessor.Clear(message);
            }

            return unknown;
        }

        var items = (IList)field.Accessor.GetValue(message);
        var found = false;
        for (var i = items.Count - 1; i >= 0; i--)
        {
            if (!known.Contains(Number(items[i]!)))
            {
                found = true;
                if (remove)
                {
                    items.RemoveAt(i);
                }
            }
        }

        return found;
    }

    private static int Number(object value) => Convert.ToInt32(value, CultureInfo.InvariantCulture);

    private static Plan PlanOf(MessageDescriptor descriptor) => Plans.GetOrAdd(descriptor, static d => new Plan(d));

    private static bool IsClosed(EnumDescriptor type) => type.File.ToProto().Syntax is not "proto3";

    // The fields of a message that lead to closed enums.
    private sealed class Plan
    {
        public Plan(MessageDescriptor descriptor)
        {
            var fields = descriptor.Fields.InDeclarationOrder();
            Enums = [.. fields
                .Where(field => field.FieldType == FieldType.Enum && IsClosed(field.EnumType))
                .Select(field => (field, field.EnumType.Values.Select(value => value.Number).ToHashSet()))];
            Messages = [.. fields.Where(
                field => field.FieldType == FieldType.Message && !field.IsMap && Reaches(field.MessageType, []))];
        }

        public (FieldDescriptor Field, HashSet<int> Known)[] Enums { get; }

        public FieldDescriptor[] Messages { get; }

        private static bool Reaches(MessageDescriptor descriptor, HashSet<MessageDescriptor> seen) =>
            seen.Add(descriptor) && descriptor.Fields.InDeclarationOrder().Any(field =>
                (field.FieldType == FieldType.Enum && IsClosed(field.EnumType))
                || (field.FieldType == FieldType.Message && Reaches(field.MessageType, seen)));
    }
}
