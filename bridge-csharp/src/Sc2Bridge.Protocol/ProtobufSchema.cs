using Google.Protobuf;
using Google.Protobuf.Reflection;

namespace Sc2Bridge.Protocol;

/// <summary>Schemas of protobuf messages as MCAP (https://mcap.dev/spec/registry#protobuf) and Foxglove have them.</summary>
public static class ProtobufSchema
{
    /// <summary>
    /// A serialized <c>FileDescriptorSet</c> with the file of a message and all that it imports, each before those that
    /// need it.
    /// </summary>
    public static byte[] Of(MessageDescriptor message)
    {
        ArgumentNullException.ThrowIfNull(message);
        var files = new FileDescriptorSet();
        Add(message.File, []);
        return files.ToByteArray();

        void Add(FileDescriptor file, HashSet<string> seen)
        {
            if (seen.Add(file.Name))
            {
                foreach (var dependency in file.Dependencies)
                {
                    Add(dependency, seen);
                }

                files.File.Add(FileDescriptorProto.Parser.ParseFrom(file.SerializedData));
            }
        }
    }
}
