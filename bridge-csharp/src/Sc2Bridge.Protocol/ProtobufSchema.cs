using Google.Protobuf;
using Google.Protobuf.Reflection;

namespace Sc2Bridge.Protocol;

/// <summary>Schemas of protobuf messages in the form that MCAP (https://mcap.dev/spec/registry#protobuf) and Foxglove expect.</summary>
public static class ProtobufSchema
{
    /// <summary>
    /// A serialized <c>FileDescriptorSet</c>: the .proto file that defines a message, and all files that this file imports.
    /// Each file comes after the files that it imports.
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
