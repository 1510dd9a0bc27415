namespace Sc2Bridge.Encodings.Tests.Json;

internal static class Contracts
{
    /// <summary>All messages of both contracts, including nested ones.</summary>
    public static MessageDescriptor[] Messages { get; } =
        [.. Files().SelectMany(file => file.MessageTypes).SelectMany(WithNested)];

    private static IEnumerable<FileDescriptor> Files()
    {
        var seen = new HashSet<FileDescriptor>();
        var left = new Stack<FileDescriptor>([BridgeReflection.Descriptor]);
        while (left.TryPop(out var file))
        {
            if (seen.Add(file))
            {
                foreach (var needed in file.Dependencies)
                {
                    left.Push(needed);
                }
            }
        }

        return seen;
    }

    private static IEnumerable<MessageDescriptor> WithNested(MessageDescriptor message) =>
        message.NestedTypes.SelectMany(WithNested).Prepend(message);
}
